import type { IncomingMessage } from "node:http";
import type { Agent } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { AnswerOf, BodyOf, Problem, QueryOf, RouteId } from "@tessera/wire";
import { addresses, creates, expiryHeader } from "@tessera/wire/addresses";
import { exit, exitCodeOfStatus } from "./exit.ts";
import { AmbiguousName, ConnectionLost, Failure } from "./failure.ts";

/** Where requests go. */
export interface Target {
  readonly server: string;
  readonly token: string | undefined;
  /** Where the token was found, for when it is refused. */
  readonly tokenFrom?: string;
  /** PEM: the only certificate to believe, known from the server's own files or noted by `tess login`. */
  readonly certificate?: string | undefined;
  /** Where the certificate was found, for when another one is shown. */
  readonly certificateFrom?: string | undefined;
}

export interface Ask<Id extends RouteId> {
  /** Values of the `:name` parts of the path. */
  readonly at?: Readonly<Record<string, string>>;
  readonly query?: QueryOf<Id>;
  readonly body?: BodyOf<Id>;
  /** The body of a route that takes bytes. */
  readonly bytes?: readonly Uint8Array[];
  readonly ifMatch?: string;
  /** Only to be made: refused where there is one already. */
  readonly ifNone?: boolean;
  /** Idempotency-Key; a random one unless given. */
  readonly key?: string;
  readonly timeoutMs?: number;
  /** Gives up when the user does. */
  readonly signal?: AbortSignal;
}

interface OpenOptions {
  readonly accept: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const answerMsMax = 30_000;
// A server that has answered once and is gone is most likely being restarted, which takes a few seconds.
const patienceMs = 15_000;
// A request that was sent and not answered is repeated for a while, with the same key; one that found no server is not.
const patienceMsAtFirst = 3_000;
const pauseMsMax = 1_000;
/** Asking again changes nothing more. */
const repeatable: ReadonlySet<RouteId> = new Set<RouteId>(["applyJob", "dryRunJob", "findMissing", "putContent"]);

/** The person at the terminal, where there is one. */
export interface Person {
  choose(several: AmbiguousName): Promise<string>;
  /** The password that they sign in with, asked for once more; undefined where there is nobody to ask. */
  password(): Promise<string | undefined>;
  /** Resolves once a second factor was shown for the refused request. */
  stepUp(api: Api, refused: Failure): Promise<void>;
}

/** Calls the routes of wire. One for each command; keeps its connections. */
export class Api {
  readonly #locate: () => Target;
  #target: Target;
  #reached = false;
  /** The version of the server, once it has answered. */
  serverVersion: string | undefined;
  /** The newest signed head of its journal that the server has shown. */
  serverHead: string | undefined;
  /** Told of a token that will expire soon. */
  tokenExpiresAt: string | undefined;
  #agent: Agent | undefined;
  /** What the agent's connections were checked against. */
  #trusted: string | undefined;

  readonly #person: Partial<Person>;
  /** A factor that is being shown; calls beside each other wait for the same one. */
  #stepUp: Promise<void> | undefined;

  constructor(locate: () => Target, person: Partial<Person> = {}) {
    this.#locate = locate;
    this.#person = person;
    this.#target = locate();
  }

  get server(): string {
    return this.#target.server;
  }

  /** Which of several jobs of one name is meant; its id. Without a person to ask it fails. */
  async choose(several: AmbiguousName): Promise<string> {
    if (this.#person.choose === undefined) throw several;
    return this.#person.choose(several);
  }

  /** Asks once and answers the parsed body; once more when the person at the terminal had to prove first who they are. */
  async call<Id extends RouteId>(id: Id, ask: Ask<Id> = {}): Promise<AnswerOf<Id>> {
    const headers = this.#headersOf(id, ask);
    try {
      return await this.#persist(id, ask, headers);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return await this.#persist(id, await this.#proven(ask, error), headers);
    }
  }

  /** The same request, once the person has shown that it is them; otherwise it stays refused. */
  async #proven<Id extends RouteId>(ask: Ask<Id>, refused: Failure): Promise<Ask<Id>> {
    if (refused.code === "step-up-required") {
      await this.#showFactor(refused);
      return ask;
    }
    const isPassword = refused.mistakes.some(({ field }) => field === "currentPassword");
    const password = isPassword ? await this.#person.password?.() : undefined;
    if (password === undefined) throw refused;
    return { ...ask, body: { ...(ask.body as object), currentPassword: password } as BodyOf<Id> };
  }

  async #showFactor(refused: Failure): Promise<void> {
    const { stepUp } = this.#person;
    if (stepUp === undefined) throw refused;
    this.#stepUp ??= stepUp(this, refused).finally(() => {
      this.#stepUp = undefined;
    });
    await this.#stepUp;
  }

  /** Repeats over lost connections where repeating cannot do a thing twice. */
  async #persist<Id extends RouteId>(id: Id, ask: Ask<Id>, headers: Record<string, string>): Promise<AnswerOf<Id>> {
    const startedAt = performance.now();
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#once(id, ask, headers);
      } catch (error) {
        const waitedMs = performance.now() - startedAt;
        if (!(error instanceof ConnectionLost) || !this.#mayRepeat(id, ask, error, waitedMs)) throw error;
        await sleep(Math.min(pauseMsMax, 100 * 2 ** tries));
        this.#target = this.#locate();
      }
    }
  }

  /** Opens an answer that goes on: a log or a watched list. Throws when the server refuses. */
  async open<Id extends RouteId>(id: Id, ask: Ask<Id>, options: OpenOptions): Promise<IncomingMessage> {
    this.#target = this.#locate();
    const headers = { ...this.#headersOf(id, ask), accept: options.accept, ...options.headers };
    const answer = await this.#send(id, ask, headers, options.signal);
    this.#reached = true;
    if (answer.statusCode !== 200) throw failureOf(answer, await textOf(answer), this.#target.tokenFrom);
    return answer;
  }

  /** Where a WebSocket of this route is, and with what it must be asked for. */
  async socketAt<Id extends RouteId>(id: Id, at: Readonly<Record<string, string>>) {
    this.#target = this.#locate();
    const { server, token } = this.#target;
    const { certificateFailureOf, secured, trustIn } = await import("./tls.ts");
    const url = secured(urlOf(server, id, { at }));
    url.protocol = "wss:";
    return {
      url,
      headers: { "user-agent": "tess", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      tls: await trustIn(this.#target),
      failureOf: (error: Error) =>
        certificateFailureOf(this.#target, error) ?? new ConnectionLost(server, false, error),
    };
  }

  /** What an answer that is not a success says. */
  async failureOf(answer: IncomingMessage): Promise<Failure> {
    return failureOf(answer, await textOf(answer), this.#target.tokenFrom);
  }

  async #once<Id extends RouteId>(id: Id, ask: Ask<Id>, headers: Record<string, string>): Promise<AnswerOf<Id>> {
    for (let tries = 0; ; tries += 1) {
      const timeout = AbortSignal.timeout(ask.timeoutMs ?? answerMsMax);
      const signal = ask.signal === undefined ? timeout : AbortSignal.any([timeout, ask.signal]);
      const answer = await this.#send(id, ask, headers, signal);
      const text = await textOf(answer).catch((error) => {
        throw new ConnectionLost(this.server, true, error);
      });
      this.#reached = true;
      const status = answer.statusCode ?? 0;
      if (status >= 200 && status < 300) return parseAnswer(this.server, text) as AnswerOf<Id>;
      const pauseS = Number(answer.headers["retry-after"]);
      if ((status !== 503 && status !== 429) || !(pauseS <= 5) || tries >= 3)
        throw failureOf(answer, text, this.#target.tokenFrom);
      await sleep(Math.max(0.1, pauseS) * 1_000);
    }
  }

  #mayRepeat<Id extends RouteId>(id: Id, ask: Ask<Id>, lost: ConnectionLost, waitedMs: number): boolean {
    if (!this.#reached && !lost.sent) return false;
    if (ask.signal?.aborted || waitedMs > (this.#reached ? patienceMs : patienceMsAtFirst)) return false;
    const method = addresses[id].split(" ")[0];
    return !lost.sent || method === "GET" || method === "PUT" || id in creates || repeatable.has(id);
  }

  #headersOf<Id extends RouteId>(id: Id, ask: Ask<Id>): Record<string, string> {
    const headers: Record<string, string> = { accept: "application/json", "user-agent": "tess" };
    if (ask.body !== undefined) headers["content-type"] = "application/json";
    if (ask.bytes !== undefined) {
      headers["content-type"] = "application/octet-stream";
      headers["content-length"] = String(ask.bytes.reduce((sum, part) => sum + part.length, 0));
    }
    if (ask.ifMatch !== undefined) headers["if-match"] = ask.ifMatch;
    if (ask.ifNone) headers["if-none-match"] = "*";
    if (id in creates) headers["idempotency-key"] = ask.key ?? crypto.randomUUID();
    return headers;
  }

  async #send<Id extends RouteId>(
    id: Id,
    ask: Ask<Id>,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<IncomingMessage> {
    const { request, Agent } = await import("node:https");
    const tls = await import("./tls.ts");
    const target = this.#target;
    const { token } = target;
    const url = tls.secured(urlOf(target.server, id, ask));
    if (this.#trusted !== target.certificate) this.#agent = undefined;
    this.#trusted = target.certificate;
    this.#agent ??= new Agent({ keepAlive: true, ...(await tls.trustIn(target)) });
    const body = ask.body === undefined ? undefined : JSON.stringify(ask.body);
    return new Promise((resolve, reject) => {
      let sent = false;
      const outgoing = request(
        url,
        {
          method: addresses[id].split(" ")[0],
          agent: this.#agent,
          headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
          ...(signal !== undefined && { signal }),
        },
        (answer) => {
          this.serverVersion = headerOf(answer, "tessera-version") ?? this.serverVersion;
          this.serverHead = headerOf(answer, "tessera-head") ?? this.serverHead;
          this.tokenExpiresAt = headerOf(answer, expiryHeader) ?? this.tokenExpiresAt;
          resolve(answer);
        },
      );
      outgoing.on("socket", (socket) => {
        if (!socket.connecting) sent = true;
        else socket.once("secureConnect", () => (sent = true));
        socket.setKeepAlive(true, 30_000);
      });
      outgoing.on("error", (error) => {
        reject(tls.certificateFailureOf(target, error) ?? new ConnectionLost(this.server, sent, error));
      });
      for (const part of ask.bytes ?? []) outgoing.write(part);
      outgoing.end(body);
    });
  }
}

function urlOf<Id extends RouteId>(server: string, id: Id, ask: Ask<Id>): URL {
  const path = addresses[id].slice(addresses[id].indexOf(" ") + 1);
  const filled = path.replace(/:([a-z]+)/g, (_all, name: string) => encodeURIComponent(ask.at?.[name] ?? ""));
  const url = new URL(server.replace(/\/+$/, "") + filled);
  for (const [name, value] of Object.entries(ask.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding("utf8");
  let text = "";
  for await (const part of answer) text += part;
  return text;
}

function parseAnswer(server: string, text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(exit.serverDown, {
      code: "not-tessera",
      message: `${server} answered something that is not JSON`,
      hint: "is this the address of a Tessera server?",
      cause: error,
    });
  }
}

function failureOf(answer: IncomingMessage, text: string, tokenFrom: string | undefined): Failure {
  const status = answer.statusCode ?? 0;
  const problem = problemOf(text);
  const requestId = problem.requestId ?? headerOf(answer, "x-request-id");
  const hint = problem.hint ?? (status === 401 ? "log in with tess login, or set TESS_TOKEN" : undefined);
  const message = problem.detail ?? problem.title ?? `the server answered ${status}`;
  const from = status === 401 && tokenFrom !== undefined ? ` (token from ${tokenFrom})` : "";
  const said = {
    code: problem.code ?? `http-${status}`,
    message: `${message}${from}`,
    ...(hint !== undefined && hint !== "" && { hint }),
    ...(requestId !== undefined && { requestId }),
    ...(problem.problems !== undefined && { mistakes: problem.problems }),
  };
  const exitCode = exitCodeOfStatus(status);
  return problem.jobs === undefined ? new Failure(exitCode, said) : new AmbiguousName(exitCode, said, problem.jobs);
}

function problemOf(text: string): Partial<Problem> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function headerOf(answer: IncomingMessage, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
