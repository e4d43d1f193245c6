import { Agent, type IncomingMessage, request } from "node:http";
import { failureOf, type SentFailure } from "./failure.ts";

/** Calls through a socket, one request each. */
export class RemoteCalls {
  readonly socket: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(socket: string) {
    this.socket = socket;
  }

  /** The answer of a call, as JSON. */
  async ask<Answer>(name: string, ...args: readonly unknown[]): Promise<Answer> {
    const response = await this.open(name, args);
    return JSON.parse(await textOf(response)) as Answer;
  }

  /** The answer as a stream. Throws what the other side threw. */
  async open(name: string, args: readonly unknown[], signal?: AbortSignal): Promise<IncomingMessage> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const to = { socketPath: this.socket, path: `/${name}`, method: "POST", agent: this.#agent };
      const call = request({ ...to, ...(signal && { signal }) });
      call.once("response", resolve);
      call.once("error", (cause) => reject(new Error(`the helper at ${this.socket} cannot be reached`, { cause })));
      call.end(JSON.stringify(args));
    });
    if ((response.statusCode ?? 500) < 400) return response;
    throw failureOf(JSON.parse(await textOf(response)) as SentFailure);
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
