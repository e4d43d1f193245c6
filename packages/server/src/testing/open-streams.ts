import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogQuery } from "@tessera/engine";
import { type Route, type RouteId, routes } from "@tessera/wire";
import { streamHeader } from "@tessera/wire/addresses";
import { WebSocket, WebSocketServer } from "ws";
import type { TestControl } from "./control.ts";
import { TestInside } from "./inside.ts";
import { requestFor } from "./role-matrix.ts";
import { Tenancy, type TestServer } from "./tenancy.ts";

/** Something that lasts and is open; `over` comes when the server ended it. */
export interface OpenStream {
  readonly name: string;
  readonly over: Promise<unknown>;
}

/** The person whose streams are opened. */
export interface Reader {
  readonly token: string;
  /** Headers of the person's browser. */
  readonly browser: Readonly<Record<string, string>>;
  /** A running job of the person. */
  readonly job: string;
}

type Opener = (ground: Ground, reader: Reader, id: RouteId) => Promise<OpenStream[]>;

const all = Object.entries(routes) as [RouteId, Route][];
/** Every route of the table whose answer or request lasts. */
export const lasting: readonly RouteId[] = all
  .filter(([id, { stream, watch, upload }]) => stream !== undefined || watch || upload || id === "openEntrance")
  .map(([id]) => id);

/** How each is opened; watched lists are opened alike. A route that lasts and is neither cannot be tested, and is found. */
const openers: Readonly<Partial<Record<RouteId, Opener>>> = {
  readLogs: async (ground, reader) => [
    ...(await ground.read("log", reader, `/v1/jobs/${reader.job}/logs?follow=true`)),
    await ground.sharing("log on a stream", reader, `/v1/jobs/${reader.job}/logs?follow=true`),
  ],
  listFiles: (ground, reader) => ground.read("files", reader, `/v1/jobs/${reader.job}/files?output=out`),
  readFile: (ground, reader) => ground.read("file", reader, `/v1/jobs/${reader.job}/file?path=a&output=out`),
  openStream: (ground, reader) => ground.shared(reader),
  putContent: (ground, reader) => ground.upload(reader),
  openEntrance: (ground, reader) => ground.inside(reader),
};

/** A server whose jobs talk without end, and a way to open everything there. */
export class Ground {
  readonly #control: TestControl;
  readonly #server: TestServer;
  readonly #page: Server;

  private constructor(control: TestControl, server: TestServer, page: Server) {
    this.#control = control;
    this.#server = server;
    this.#page = page;
  }

  static async start(control: TestControl, server: TestServer): Promise<Ground> {
    control.logs = talk;
    control.files = endlessFiles;
    control.readFile = async () => ({ mode: 0o644, bytes: 1e12, content: endlessBytes() });
    const page = createServer((_asked, answer) => {
      const timer = setInterval(() => answer.write("still here\n"), 10);
      answer.once("close", () => clearInterval(timer));
    });
    new WebSocketServer({ server: page }).on("connection", (socket) => socket.send("hello"));
    await new Promise<void>((listening) => page.listen(0, "127.0.0.1", listening));
    const inside = new TestInside();
    inside.listens = [(page.address() as AddressInfo).port];
    control.inside = inside;
    return new Ground(control, server, page);
  }

  close(): void {
    this.#page.closeAllConnections();
    this.#page.close();
  }

  /** From now on jobs have little to say. */
  quiet(): void {
    this.#control.logs = async function* () {};
    this.#control.files = async function* () {};
    this.#control.readFile = async () => undefined;
  }

  /** Opens the route in every way there is. */
  open(id: RouteId, reader: Reader): Promise<OpenStream[]> {
    const opener = openers[id] ?? ((routes[id] as Route).watch ? watched : undefined);
    assert.ok(opener, `${id} lasts, and this test does not know how to open it`);
    return opener(this, reader, id);
  }

  /** A stream that is read, by a program and by a browser. */
  async read(name: string, reader: Reader, path: string, headers: Record<string, string> = {}): Promise<OpenStream[]> {
    const bearer = { authorization: `Bearer ${reader.token}` };
    return Promise.all(
      Object.entries({ token: bearer, session: reader.browser }).map(async ([by, credentials]) => {
        const answer = await this.#answerOf(path, { ...credentials, ...headers });
        return { name: `${name} by ${by}`, over: ended(answer) };
      }),
    );
  }

  async shared(reader: Reader): Promise<OpenStream[]> {
    const empty = await this.#carrier(reader);
    return [
      await this.sharing("lists on one stream", reader, "/v1/jobs"),
      { name: "a stream without lists", over: ended(empty) },
    ];
  }

  /** A stream that is shared, on which something is told. */
  async sharing(name: string, reader: Reader, path: string): Promise<OpenStream> {
    const carrier = await this.#carrier(reader);
    const [, stream] = /"stream":"([a-z0-9]+)"/.exec(String(carrier.read() ?? (await once(carrier, "data")))) ?? [];
    const joined = await this.#server.call(reader.token, "GET", path, undefined, {
      ...{ accept: "text/event-stream", [streamHeader]: `${stream}-1` },
    });
    assert.ok(joined.status < 300, joined.text);
    return { name, over: ended(carrier) };
  }

  #carrier({ token }: Reader): Promise<IncomingMessage> {
    return this.#answerOf("/v1/stream", { authorization: `Bearer ${token}`, accept: "text/event-stream" });
  }

  async upload({ token }: Reader): Promise<OpenStream[]> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
    const { port } = new URL(this.#server.url);
    const sending = request({
      ...{ host: "127.0.0.1", port, method: "POST", path: "/v1/content?project=acme" },
      headers: { ...headers, "transfer-encoding": "chunked" },
    });
    sending.flushHeaders();
    const over = new Promise((done) => {
      for (const end of ["error", "close", "response"]) sending.once(end, done);
    });
    return [{ name: "upload", over }];
  }

  /** A command, a terminal, a port, a page and the WebSocket of a page. */
  async inside(reader: Reader): Promise<OpenStream[]> {
    const asks = [
      { how: "exec", command: "cat" },
      { how: "terminal", columns: 80, rows: 24, term: "xterm" },
      { how: "port" },
    ];
    const opened: OpenStream[] = [];
    for (const ask of asks) {
      const socket = new WebSocket(
        `${this.#server.url.replace("http", "ws")}/v1/entrances/${await this.enter(reader, ask)}`,
        {
          headers: { authorization: `Bearer ${reader.token}` },
        },
      );
      await once(socket, "open");
      opened.push({ name: `inside by ${ask.how}`, over: once(socket, "close") });
    }
    const { host, cookie } = await this.openPage(reader);
    const page = await this.#answerOf("/", { host, cookie });
    const { port } = new URL(this.#server.url);
    const kernel = new WebSocket(`ws://127.0.0.1:${port}/kernel`, {
      headers: { host, cookie, origin: `http://${host}` },
    });
    await once(kernel, "message");
    return [
      ...opened,
      { name: "page of a job", over: ended(page) },
      { name: "WebSocket of a page", over: once(kernel, "close") },
    ];
  }

  async enter({ token, job }: Pick<Reader, "token" | "job">, ask: object): Promise<string> {
    const { status, json, text } = await this.#server.call(token, "POST", `/v1/jobs/${job}/enter`, ask);
    assert.equal(status, 201, text);
    return json.url ?? json.id;
  }

  async openPage(reader: Pick<Reader, "token" | "job">): Promise<{ host: string; cookie: string }> {
    const url = new URL(await this.enter(reader, { how: "page" }));
    const answer = await this.#asked(`${url.pathname}${url.search}`, { host: url.host });
    return { host: url.host, cookie: (answer.headers["set-cookie"]?.[0] ?? "").split(";")[0]! };
  }

  async statusOf(path: string, headers: Record<string, string>): Promise<number> {
    const answer = await this.#asked(path, headers);
    answer.destroy();
    return answer.statusCode ?? 0;
  }

  async #answerOf(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const answer = await this.#asked(path, headers);
    assert.equal(answer.statusCode, 200, path);
    await once(answer, "readable");
    return answer;
  }

  async #asked(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const { port } = new URL(this.#server.url);
    const [answer] = await once(request({ host: "127.0.0.1", port, path, headers, agent: false }).end(), "response");
    return answer;
  }

  async watchedPath(id: RouteId): Promise<string> {
    return (await requestFor(new Tenancy(this.#control), id, "platform-owner", "own")).path;
  }
}

const watched: Opener = async (ground, reader, id) =>
  ground.read(id, reader, await ground.watchedPath(id), { accept: "text/event-stream" });

/** What comes is thrown away; that no more comes is what is waited for. */
function ended(answer: IncomingMessage): Promise<unknown> {
  answer.on("error", () => {});
  answer.resume();
  return new Promise((over) => answer.once("close", over));
}

async function* talk(_lease: string, { signal }: LogQuery) {
  for (let at = 1; !signal?.aborted; at++) {
    yield { at, rank: 0, stream: "stdout", text: "still here" } as const;
    await sleep(10);
  }
}

async function* endlessFiles() {
  for (let n = 0; ; n++) {
    yield { path: `f${n}`, mode: 0o644, bytes: 1, changedAt: 0 };
    await sleep(10);
  }
}

async function* endlessBytes() {
  for (;;) {
    yield Buffer.alloc(1_000, "x");
    await sleep(10);
  }
}
