import { readFileSync } from "node:fs";
import { type Master, MasterAway, OtherMaster, type Wrapped } from "./master.ts";

/** A service that keeps the master key, and the file of the token that it asks for. The protocol: docs/key-service.md. */
export interface KeyService {
  readonly url: string;
  readonly tokenFile: string;
}

/** A request that takes longer is given up: what waits for it must not wait for ever. */
const answerMsUsual = 5_000;
const answerBytesMax = 64 * 1024;
/** Statuses by which a service says that it cannot unwrap this, ever. */
const refusals = [400, 404, 409, 410, 422];

/** The master key in a key service, which wraps and unwraps and never gives it away. */
export class ServiceMaster implements Master {
  readonly #service: KeyService;
  readonly #answerMsMax: number;

  constructor(service: KeyService, answerMsMax = answerMsUsual) {
    this.#service = service;
    this.#answerMsMax = answerMsMax;
  }

  get place(): string {
    return this.#service.url;
  }

  async current(): Promise<string> {
    return text(await this.#ask("current", {}), "master");
  }

  async wrap(key: Buffer, context: string): Promise<Wrapped> {
    const answer = await this.#ask("wrap", { key: key.toString("base64"), context });
    return { master: text(answer, "master"), value: text(answer, "value") };
  }

  async unwrap({ master, value }: Wrapped, context: string): Promise<Buffer> {
    return Buffer.from(text(await this.#ask("unwrap", { master, value, context }), "key"), "base64");
  }

  async rotate(): Promise<void> {
    await this.#ask("rotate", {});
  }

  async settle(): Promise<void> {
    await this.#ask("settle", {});
  }

  async #ask(verb: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const { url, tokenFile } = this.#service;
    const why = (text: string) =>
      `the key service ${url} cannot be used: ${text}. Nothing new is sealed until it is back`;
    const signal = AbortSignal.timeout(this.#answerMsMax);
    let answer: Response;
    let said: string;
    try {
      const token = readFileSync(tokenFile, "utf8").trim();
      answer = await fetch(new URL(`v1/${verb}`, url.endsWith("/") ? url : `${url}/`), {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        redirect: "error",
        signal,
      });
      said = await textUpTo(answer, answerBytesMax);
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : message;
      throw new MasterAway(why(signal.aborted ? `no answer within ${this.#answerMsMax / 1000} s` : reason), {
        cause: error,
      });
    }
    if (!answer.ok) {
      const refuses = verb === "unwrap" && refusals.includes(answer.status);
      throw new (refuses ? OtherMaster : MasterAway)(why(`it answered ${answer.status} to ${verb}`));
    }
    const value = parsed(said);
    if (value === undefined) throw new MasterAway(why(`its answer to ${verb} is not an object of JSON`));
    return value;
  }
}

async function textUpTo(answer: Response, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > bytesMax) throw new Error(`its answer has more than ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function text(answer: Readonly<Record<string, unknown>>, field: string): string {
  const value = answer[field];
  if (typeof value !== "string" || value === "") throw new MasterAway(`the answer of the key service lacks "${field}"`);
  return value;
}
