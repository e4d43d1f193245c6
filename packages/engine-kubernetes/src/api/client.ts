import { type IncomingMessage, Agent as PlainAgent, type RequestOptions, request as requestPlain } from "node:http";
import { Agent, request as requestTls, type RequestOptions as TlsOptions } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeConfig } from "@kubernetes/client-node";
import { ApiError, ClusterAway, errorOf } from "./error.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Ask {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Of the body; JSON by default, a merge patch for PATCH. */
  readonly type?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Above this an API server queues the requests of one client anyway. */
const socketsMax = 64;
const timeoutMsUsual = 30_000;
/** Tokens and certificates can be rotated behind our back; they are read again this often, and after a 401 or a failed handshake. */
const credentialsMsMax = 60_000;
const attemptsMax = 5;
const waitMsFirst = 100;
const waitMsMax = 10_000;

/** Talks to one API server: JSON over kept-alive connections, with the TLS and the credentials of a kubeconfig. */
export class ApiClient {
  readonly config: KubeConfig;
  readonly #server: URL;
  readonly #agent: Agent | PlainAgent;
  /** Watches and logs stay open: they must not take the connections of calls. */
  readonly #streamAgent: Agent | PlainAgent;
  #credentials: { readonly options: TlsOptions; readonly until: number } | undefined;
  /** The server asked for a pause until then; all calls respect it. */
  #pausedUntil = 0;
  /** Calls that change something, for figures. */
  writes = 0;

  constructor(config: KubeConfig) {
    this.config = config;
    this.#server = new URL(config.getCurrentCluster()!.server);
    const Kind = this.#server.protocol === "https:" ? Agent : PlainAgent;
    this.#agent = new Kind({ keepAlive: true, maxSockets: socketsMax, scheduling: "lifo" });
    this.#streamAgent = new Kind({ keepAlive: false });
  }

  get<T>(path: string, ask?: Ask): Promise<T> {
    return this.call("GET", path, ask);
  }

  post<T>(path: string, body: unknown, ask?: Ask): Promise<T> {
    return this.call("POST", path, { ...ask, body });
  }

  put<T>(path: string, body: unknown, ask?: Ask): Promise<T> {
    return this.call("PUT", path, { ...ask, body });
  }

  /** A JSON merge patch. A `resourceVersion` or `uid` in its metadata is a precondition. */
  patch<T>(path: string, body: unknown, ask?: Ask): Promise<T> {
    return this.call("PATCH", path, { type: "application/merge-patch+json", ...ask, body });
  }

  delete<T>(path: string, body: unknown, ask?: Ask): Promise<T> {
    return this.call("DELETE", path, { ...ask, body });
  }

  /** One call. What the server turned away unprocessed is tried again; so is a read that failed on the way. */
  async call<T>(method: Method, path: string, ask: Ask = {}): Promise<T> {
    for (let attempt = 1, wait = waitMsFirst; ; attempt++, wait = Math.min(2 * wait, waitMsMax)) {
      try {
        await this.#pause(ask.signal);
        if (method !== "GET") this.writes++;
        const answer = await this.#send(method, path, ask, this.#agent, ask.timeoutMs ?? timeoutMsUsual);
        const text = await textOf(answer);
        const status = answer.statusCode ?? 0;
        if (status < 400) return (text === "" ? undefined : JSON.parse(text)) as T;
        throw errorOf(status, text, answer.headers["retry-after"]);
      } catch (error) {
        const again = this.#isWorthAnother(method, error);
        if (!again || attempt >= attemptsMax || ask.signal?.aborted) throw error;
        const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
        if (asked > 0) this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + Math.min(asked, waitMsMax));
        await sleep(jittered(wait), undefined, { signal: ask.signal });
      }
    }
  }

  /** An answer that stays open; the caller reads it to its end or destroys it. */
  async stream(path: string, ask: Ask = {}): Promise<IncomingMessage> {
    await this.#pause(ask.signal);
    const answer = await this.#send("GET", path, ask, this.#streamAgent, 0);
    const status = answer.statusCode ?? 0;
    if (status < 400) return answer;
    const text = await textOf(answer);
    if (status === 401) this.#credentials = undefined;
    throw errorOf(status, text, answer.headers["retry-after"]);
  }

  close(): void {
    this.#agent.destroy();
    this.#streamAgent.destroy();
  }

  #isWorthAnother(method: Method, error: unknown): boolean {
    if (error instanceof ApiError) {
      if (error.status === 401 && this.#credentials !== undefined) {
        this.#credentials = undefined;
        return true;
      }
      // 429 is said before anything is done; a 5xx may come after it.
      return error.status === 429 || (method === "GET" && error.status >= 500);
    }
    return error instanceof ClusterAway && (method === "GET" || error.unsent);
  }

  /** A kept connection that was closed at the other end: nothing was done on it. */
  #away(error: NodeJS.ErrnoException, reused: boolean): ClusterAway {
    const unsent = reused && (error.code === "ECONNRESET" || error.code === "EPIPE");
    return new ClusterAway(`the API server at ${this.#server.host} cannot be reached: ${error.message}`, error, unsent);
  }

  async #pause(signal: AbortSignal | undefined): Promise<void> {
    const waitMs = this.#pausedUntil - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
  }

  async #options(): Promise<TlsOptions> {
    if (this.#credentials === undefined || this.#credentials.until < performance.now()) {
      const options: TlsOptions = {};
      await this.config.applyToHTTPSOptions(options);
      const { agent: _, ...own } = options;
      this.#credentials = { options: { ...own, minVersion: "TLSv1.3" }, until: performance.now() + credentialsMsMax };
    }
    return this.#credentials.options;
  }

  async #send(
    method: Method,
    path: string,
    { query = {}, body, type = "application/json", signal }: Ask,
    agent: Agent | PlainAgent,
    timeoutMs: number,
  ): Promise<IncomingMessage> {
    const credentials = await this.#options();
    const content = body === undefined ? undefined : JSON.stringify(body);
    const entries = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const search = entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
    const base = this.#server.pathname.replace(/\/$/, "");
    const options: RequestOptions & TlsOptions = {
      ...credentials,
      agent,
      method,
      host: this.#server.hostname,
      port: this.#server.port,
      path: `${base}${path}${search}`,
      headers: {
        ...credentials.headers,
        accept: "application/json",
        "user-agent": "tessera",
        ...(content !== undefined && { "content-type": type, "content-length": Buffer.byteLength(content) }),
      },
      ...(signal !== undefined && { signal }),
    };
    return new Promise((resolve, reject) => {
      const call = this.#server.protocol === "https:" ? requestTls(options) : requestPlain(options);
      if (timeoutMs > 0)
        call.setTimeout(timeoutMs, () => call.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
      call.once("response", resolve);
      call.once("error", (error) => {
        // A certificate that ran out is refused by some servers in the handshake, by others with a 401.
        if (!call.reusedSocket) this.#credentials = undefined;
        if (signal?.aborted) reject(error);
        else reject(this.#away(error, call.reusedSocket));
      });
      call.end(content);
    });
  }
}

/** Waits of many clients must not end together. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random());
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of answer) parts.push(part as Buffer);
  } catch (error) {
    throw new ClusterAway(`the connection to the API server broke: ${(error as Error).message}`, error);
  }
  return Buffer.concat(parts).toString("utf8");
}
