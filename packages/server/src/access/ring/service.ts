import { readFileSync } from "node:fs";
import { type Master, MasterAway, type Wrapped } from "./master.ts";

/** A service that keeps the master key, and the file of the token that it asks for. The protocol: docs/key-service.md. */
export interface KeyService {
  readonly url: string;
  readonly tokenFile: string;
}

/** A request that takes longer is given up: what waits for it must not wait for ever. */
const answerMsMax = 5_000;
const answerBytesMax = 64 * 1024;

/** The master key in a key service, which wraps and unwraps and never gives it away. */
export class ServiceMaster implements Master {
  readonly #service: KeyService;

  constructor(service: KeyService) {
    this.#service = service;
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
    const away = (why: string, cause?: unknown) =>
      new MasterAway(`the key service ${url} cannot be used: ${why}. Nothing new is sealed until it is back`, {
        cause,
      });
    let answer: Response;
    let said: string;
    try {
      answer = await fetch(new URL(`v1/${verb}`, url.endsWith("/") ? url : `${url}/`), {
        method: "POST",
        headers: {
          authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`,
          "content-type": "application/json",
        },
        body: JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.timeout(answerMsMax),
      });
      said = (await answer.text()).slice(0, answerBytesMax);
    } catch (error) {
      const { message, cause } = error as Error;
      throw away(cause instanceof Error ? cause.message : message, error);
    }
    if (!answer.ok) throw away(`it answered ${answer.status} to ${verb}`);
    try {
      return JSON.parse(said) as Readonly<Record<string, unknown>>;
    } catch {
      throw away(`its answer to ${verb} is not JSON`);
    }
  }
}

function text(answer: Readonly<Record<string, unknown>>, field: string): string {
  const value = answer[field];
  if (typeof value !== "string" || value === "") throw new MasterAway(`the answer of the key service lacks "${field}"`);
  return value;
}
