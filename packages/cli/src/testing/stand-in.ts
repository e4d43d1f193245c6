import { strict as assert } from "node:assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { TestContext } from "node:test";
import { type AnswerOf, type Job, type Route, type RouteId, routes } from "@tessera/wire";
import Value from "typebox/value";
import { certificate, privateKey } from "./certificate.ts";
import { jobOf } from "./things.ts";

/** A request as the stand-in saw it. */
export interface Seen {
  readonly route: RouteId;
  readonly at: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly headers: IncomingMessage["headers"];
}

/** Anything but a plain answer: a problem, a cut connection, or a stream written by hand. */
export type Reply = { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };
type Script<Id extends RouteId> = (seen: Seen, response: ServerResponse) => AnswerOf<Id> | Reply | "handled";

/**
 * A scripted stand-in for the control plane: it decides nothing, it answers what the test told it to. Requests and answers
 * are checked against the schemas of wire, so that a test cannot pass with something the real server would refuse.
 */
export class StandIn {
  readonly seen: Seen[] = [];
  readonly mistakes: string[] = [];
  /** Lets wrong bodies through to the script, for tests about how they are refused. */
  lenient = false;
  readonly #scripts = new Map<RouteId, Script<RouteId>>();
  readonly #watchers = new Map<RouteId, Set<ServerResponse>>();
  readonly #jobs = new Map<string, Job>();
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  /** Where it says how to reach it and how to recognise it, as the data folder of a server does. */
  readonly data = mkdtempSync(join(tmpdir(), "tess-stand-in-"));
  #events = 0;

  private constructor() {
    this.#server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
      this.#answer(request, response).catch((error) => {
        this.mistakes.push(String(error));
        response.destroy();
      });
    });
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(test: TestContext): Promise<StandIn> {
    const standIn = new StandIn();
    await standIn.listen(0);
    test.after(async () => {
      await standIn.stop();
      rmSync(standIn.data, { recursive: true });
      assert.deepEqual(standIn.mistakes, []);
    });
    return standIn;
  }

  port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get env(): Record<string, string> {
    return {
      TESS_SERVER: this.url,
      TESS_TOKEN: "secret-token",
      HOME: "/nonexistent",
      TESSERA_DATA: this.data,
    };
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    this.port = (this.#server.address() as AddressInfo).port;
    writeFileSync(join(this.data, "identity.crt"), certificate);
    writeFileSync(join(this.data, "endpoint.json"), JSON.stringify({ url: this.url, certificateFile: "identity.crt" }));
  }

  /** As a crash would: open connections are cut. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy(); // also those that have not finished their handshake
    await closed;
  }

  /** What a route answers from now on. */
  on<Id extends RouteId>(route: Id, script: Script<Id>): void {
    this.#scripts.set(route, script as Script<RouteId>);
  }

  requestsTo(route: RouteId): Seen[] {
    return this.seen.filter((each) => each.route === route);
  }

  /** Puts a job there, or changes it, and tells the open watches. */
  put(id: string, given: Partial<Job>): Job {
    const job = { ...(this.#jobs.get(id) ?? jobOf({ id })), ...given };
    this.#jobs.set(id, job);
    if (job.state === "ended") this.tell("listJobs", "delete", { id });
    else this.tell("listJobs", "put", job);
    return job;
  }

  tell(route: RouteId, event: string, value: unknown): void {
    for (const response of this.#watchers.get(route) ?? []) this.#write(response, event, value);
  }

  watching(route: RouteId): number {
    return this.#watchers.get(route)?.size ?? 0;
  }

  #write(response: ServerResponse, event: string, value: unknown): void {
    this.#events += 1;
    response.write(`event: ${event}\nid: e${this.#events}\ndata: ${JSON.stringify(value)}\n\n`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://stand-in");
    const found = routeOf(request.method ?? "", url.pathname);
    if (found === undefined) return this.#refuse(response, `no route ${request.method} ${url.pathname}`);
    const [id, at] = found;
    const route: Route = routes[id];
    const query = Value.Convert(route.query ?? {}, Object.fromEntries(url.searchParams)) as Record<string, unknown>;
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const bytes = Buffer.concat(parts);
    const body = route.upload ? bytes : bytes.length === 0 ? undefined : JSON.parse(bytes.toString("utf8"));
    const seen = { route: id, at, query, body, headers: request.headers };
    this.seen.push(seen);
    const wrong = this.lenient ? undefined : mistakeIn(route, seen);
    if (wrong !== undefined) return this.#refuse(response, `${id}: ${wrong}`);
    if (route.resource !== "anyone" && request.headers.authorization !== "Bearer secret-token") {
      return send(response, { status: 401, body: problem(401, "unauthenticated", "the token is not known") });
    }
    const script = this.#scripts.get(id) ?? this.#usual(id);
    const answer = script(seen, response);
    if (answer === "handled") return;
    if (request.headers.accept === "text/event-stream") return this.#watch(id, answer, response);
    if (isReply(answer)) return send(response, answer);
    if (route.status !== 204 && !Value.Check(route.answer, answer)) {
      return this.#refuse(response, `the script's answer to ${id} is not wire-shaped: ${JSON.stringify(answer)}`);
    }
    send(response, { status: route.status, body: answer });
  }

  #watch(id: RouteId, page: unknown, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    this.#write(response, "sync", page);
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(response));
    response.on("close", () => watchers.delete(response));
  }

  #usual(id: RouteId): Script<RouteId> {
    return ({ at, query }) => {
      if (id === "getJob")
        return (
          this.#jobs.get(at.job!) ??
          [...this.#jobs.values()].find(({ name }) => name === at.job) ??
          notFound("job", at.job!)
        );
      if (id === "listJobs")
        return { items: [...this.#jobs.values()].filter(({ state }) => query.state === "all" || state !== "ended") };
      if (id === "findMissing") return { missing: [], limits: { files: 20_000, bytes: 2_147_483_648 } };
      if (id === "explainJob") return { job: at.job!, state: this.#jobs.get(at.job!)?.state ?? "waiting" };
      if (routes[id].path.includes(":")) return notFound("thing", Object.values(at).join("/"));
      return { items: [] };
    };
  }

  #refuse(response: ServerResponse, mistake: string): void {
    this.mistakes.push(mistake);
    send(response, { status: 500, body: problem(500, "stand-in", mistake) });
  }
}

function routeOf(method: string, path: string): [RouteId, Record<string, string>] | undefined {
  for (const [id, route] of Object.entries(routes) as [RouteId, Route][]) {
    const names = [...route.path.matchAll(/:([a-z]+)/g)].map(([, name]) => name!);
    const match = new RegExp(`^${route.path.replace(/:[a-z]+/g, "([^/]+)")}$`).exec(path);
    if (route.method !== method || match === null) continue;
    return [id, Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1]!)]))];
  }
  return undefined;
}

function mistakeIn(route: Route, { query, body, headers }: Seen): string | undefined {
  if (route.query === undefined ? Object.keys(query).length > 0 : !Value.Check(route.query, query))
    return `query ${JSON.stringify(query)}`;
  if (route.body !== undefined && !Value.Check(route.body, body)) return `body ${JSON.stringify(body)}`;
  if (route.creates && headers["idempotency-key"] === undefined) return "no Idempotency-Key";
  if (route.edits && headers["if-match"] === undefined && headers["if-none-match"] === undefined) return "no If-Match";
  return undefined;
}

export function problem(status: number, code: string, detail: string, hint?: string) {
  return {
    type: `/problems/${code}`,
    title: code,
    status,
    detail,
    code,
    requestId: "req_1",
    ...(hint !== undefined && { hint }),
  };
}

export function notFound(noun: string, name: string): Reply {
  return { status: 404, body: problem(404, "not-found", `there is no ${noun} "${name}"`) };
}

function isReply(value: unknown): value is Reply {
  return typeof value === "object" && value !== null && "status" in value && typeof value.status === "number";
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
