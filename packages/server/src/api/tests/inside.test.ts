import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobId, TokenId } from "@tessera/core";
import { WebSocket, WebSocketServer } from "ws";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { TestInside } from "../../testing/inside.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const lookEveryMs = 20;

/** A running job of ana in acme, and people around it. */
class World {
  readonly control: TestControl;
  readonly inside = new TestInside();
  readonly tenancy: Tenancy;
  readonly server: TestServer;
  ana!: TestUser;
  job!: JobId;

  private constructor(control: TestControl, server: TestServer) {
    this.control = control;
    this.server = server;
    this.tenancy = new Tenancy(control);
    control.inside = this.inside;
  }

  static async start(limits = {}): Promise<World> {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const server = await serveApi(control, { inside: { lookEveryMs, ...limits } });
    const world = new World(control, server);
    for (const path of ["acme", "bolt"]) await world.tenancy.account(path);
    world.ana = await world.tenancy.user("ana", "member", "acme");
    world.job = await world.tenancy.job("acme", world.ana.id, { name: "hers", gpus: 1 });
    await control.run(world.job);
    return world;
  }

  async enter(user: TestUser, body: object) {
    return this.server.call(user.token, "POST", `/v1/jobs/${this.job}/enter`, body);
  }

  /** Goes through an entrance. */
  connect(id: string, user: TestUser, headers: Record<string, string> = {}): WebSocket {
    const url = `${this.server.url.replace("http", "ws")}/v1/entrances/${id}`;
    return new WebSocket(url, { headers: { authorization: `Bearer ${user.token}`, ...headers } });
  }
}

/** The status that a connection is refused with. */
async function refusal(socket: WebSocket): Promise<number> {
  socket.on("error", () => {});
  const [, answer] = await once(socket, "unexpected-response");
  answer.resume();
  return answer.statusCode;
}

const cat = { how: "exec", command: "cat" };

describe("entrances", () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.server.close());

  it("carry bytes and words both ways, and end with the exit code", async () => {
    const { json, status } = await world.enter(world.ana, { how: "terminal", columns: 90, rows: 31, term: "xterm" });
    assert.equal(status, 201);
    const socket = world.connect(json.id, world.ana);
    const heard: (string | Buffer)[] = [];
    socket.on("message", (data: Buffer, isBinary) => void heard.push(isBinary ? data : String(data)));
    await once(socket, "open");
    socket.send(JSON.stringify({ resize: { columns: 120, rows: 40 } }));
    for (const odd of ["not json", "{}", "null", '{"resize":{"columns":-1,"rows":1e9}}']) socket.send(odd);
    socket.send(Buffer.from("\0typed"));
    socket.send(JSON.stringify({ end: "input" }));
    await once(socket, "close");
    const bytes = Buffer.concat(heard.filter((each) => typeof each !== "string"));
    assert.deepEqual(bytes.toString(), "\u0001typed");
    assert.deepEqual(heard.at(-1), '{"exit":0}');
    assert.deepEqual(world.inside.sizes, [{ columns: 120, rows: 40 }]);
    const { terminal } = world.inside.opened.at(-1) as { terminal?: object };
    assert.deepEqual(terminal, { columns: 90, rows: 31, name: "xterm" });
  });

  it("are for the one who asked, once, and soon", async () => {
    const boss = await world.tenancy.user("boss", "tenant-admin", "acme");
    const { json } = await world.enter(world.ana, cat);
    assert.equal(await refusal(world.connect(json.id, boss)), 404);
    assert.equal((await world.server.call(world.ana.token, "GET", `/v1/entrances/${json.id}`)).status, 426);
    const first = world.connect(json.id, world.ana);
    await once(first, "open");
    assert.equal(await refusal(world.connect(json.id, world.ana)), 404);
    first.close();
    const late = (await world.enter(world.ana, cat)).json.id;
    world.control.setTime(world.control.now() + 61_000);
    assert.equal(await refusal(world.connect(late, world.ana)), 404);
  });

  it("are closed to everyone else, with and without a token, and to cookies", async () => {
    const { json } = await world.enter(world.ana, cat);
    const stranger = { ...world.ana, token: "tess_0000000000000000000000000000000000000000000" };
    assert.equal(await refusal(world.connect(json.id, stranger)), 401);
    const url = `${world.server.url.replace("http", "ws")}/v1/entrances/${json.id}`;
    const origin = world.server.url;
    const signedIn = await world.server.call(undefined, "POST", "/v1/session", { token: world.ana.token }, { origin });
    const cookie = signedIn.headers.get("set-cookie")!.split(";")[0]!;
    for (const headers of [{ origin: "http://evil.example" }, {}, { origin }])
      assert.equal(await refusal(new WebSocket(url, { headers: { cookie, ...headers } })), 401, "a cookie opens none");
    const scoped = await world.tenancy.token(world.ana.id, ["job.read"]);
    assert.equal((await world.enter({ ...world.ana, ...scoped }, cat)).status, 403);
  });

  it("end when the token is revoked, the role is lost or the job is over", async () => {
    const open = async (user: TestUser) => {
      const socket = world.connect((await world.enter(user, cat)).json.id, user);
      await once(socket, "open");
      return once(socket, "close");
    };
    const { token, tokenId } = await world.tenancy.token(world.ana.id);
    const revoked = open({ ...world.ana, token });
    const max = await world.tenancy.user("max", "tenant-admin", "acme");
    const unbound = open(max);
    await sleep(5 * lookEveryMs);
    await world.control.must({ kind: "token.revoke", token: tokenId as TokenId });
    await world.control.must({ kind: "role.unbind", user: max.id, role: "tenant-admin", account: "acme" });
    assert.deepEqual([(await revoked)[0], (await unbound)[0]], [4403, 4403]);
    const over = open(world.ana);
    await sleep(5 * lookEveryMs);
    await world.control.finish(world.job);
    assert.equal((await over)[0], 4000);
    while (world.inside.count > 0) await sleep(5);
    const { status, json } = await world.enter(world.ana, cat);
    assert.deepEqual([status, json.detail], [409, `job "${world.job}" has ended.`]);
  });
});

describe("an entrance that is asked for", () => {
  it("must make sense", async () => {
    const world = await World.start();
    world.inside.listens = [80, 8000];
    const cases: readonly [object, number, RegExp][] = [
      [{ how: "exec" }, 422, /command is missing/],
      [{ how: "exec", command: "  " }, 422, /command .* is missing/],
      [{ how: "port", port: 80, command: "ls" }, 422, /command .* cannot be used together with how: port/],
      [{ how: "exec", command: "ls", port: 80 }, 422, /port 80 cannot be used/],
      [{ how: "exec", command: "ls", rows: 3 }, 422, /rows 3 cannot be used/],
      [{ how: "exec", command: "ls", rank: 1 }, 422, /rank 1 is not a member/],
      [{ how: "port", port: 81 }, 409, /^No process of hers listens on port 81: it listens on 80, 8000\.$/],
      [{ how: "port" }, 422, /the job listens on 80, 8000/],
      [{ how: "jump" }, 400, /how/],
    ];
    for (const [body, status, detail] of cases) {
      const answer = await world.enter(world.ana, body);
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.json.detail, detail);
    }
    await world.server.close();
  });

  it("is counted: per user and per job", async () => {
    const world = await World.start({ execsPerUserMax: 2, entrancesPerUserMax: 3 });
    const sockets: WebSocket[] = [];
    for (let i = 0; i < 2; i++) {
      const socket = world.connect((await world.enter(world.ana, cat)).json.id, world.ana);
      await once(socket, "open");
      sockets.push(socket);
    }
    assert.equal(await refusal(world.connect((await world.enter(world.ana, cat)).json.id, world.ana)), 429);
    for (let i = 0; i < 3; i++) await world.enter(world.ana, cat);
    assert.equal((await world.enter(world.ana, cat)).status, 429);
    assert.match((await world.server.call(world.ana.token, "GET", "/metrics")).text, /^tessera_entries 2$/m);
    sockets[0]!.close();
    await once(sockets[0]!, "close");
    await world.server.close();
  });

  it("does not let a job fill the memory of the server", async () => {
    const world = await World.start();
    const socket = world.connect((await world.enter(world.ana, cat)).json.id, world.ana);
    await once(socket, "open");
    socket.pause(); // a reader that takes nothing
    const piece = Buffer.alloc(200_000);
    let unsent = 0;
    // What it sends comes back and is not read: after a while nothing more is taken from it.
    for (let i = 0; i < 500 && unsent < 20; i++) {
      socket.send(piece);
      await sleep(1);
      unsent = socket.bufferedAmount > 1_000_000 ? unsent + 1 : 0;
    }
    assert.ok(unsent >= 20, "100 MB were taken, though nobody read what came back");
    socket.terminate();
    await world.server.close();
  });
});

describe("pages of jobs", () => {
  let world: World;
  let app: Server;
  let seen: { url: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  before(async () => {
    world = await World.start();
    app = createServer((asked, answer) => {
      seen.push({ url: asked.url!, headers: asked.headers });
      answer.setHeader("set-cookie", ["own=1; Domain=localhost; Path=/", "tessera=stolen", "tessera-page=stolen"]);
      answer.end(`page ${asked.url}`);
    });
    const sockets = new WebSocketServer({ server: app });
    sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(`heard ${data}`)));
    await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
    world.inside.listens = [(app.address() as AddressInfo).port];
  });
  after(async () => {
    app.closeAllConnections();
    app.close();
    await world.server.close();
  });

  /** A request with a host name of its own, as browsers send it. */
  async function ask(host: string, path: string, headers: Record<string, string> = {}) {
    const { port } = new URL(world.server.url);
    const asked = request({ host: "127.0.0.1", port, path, headers: { host, ...headers } }).end();
    const [answer] = await once(asked, "response");
    let text = "";
    for await (const part of answer) text += part;
    return { status: answer.statusCode as number, headers: answer.headers, text };
  }

  async function openPage(user = world.ana) {
    const { json } = await world.enter(user, { how: "page" });
    const url = new URL(json.url);
    return { host: url.host, ticket: `${url.pathname}${url.search}` };
  }

  async function cookieOf(page: { host: string; ticket: string }): Promise<string> {
    const answer = await ask(page.host, page.ticket);
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.location, "/");
    const [set = ""] = answer.headers["set-cookie"] as string[];
    assert.match(set, /^tessera-page=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    return set.split(";")[0]!;
  }

  it("open with a ticket that is valid once, for a cookie of that host alone", async () => {
    const page = await openPage();
    assert.match(page.host, new RegExp(`^${world.job.slice(4)}-p\\d+\\.localhost:\\d+$`));
    assert.equal((await ask(page.host, "/")).status, 401);
    const cookie = await cookieOf(page);
    assert.equal((await ask(page.host, page.ticket)).status, 403, "the second time");
    assert.equal((await ask(page.host, "/a?b=1", { cookie })).text, "page /a?b=1");
    assert.equal((await ask(page.host.replace(/-p\d+/, "-p1"), "/", { cookie })).status, 401, "another page");
    const other = await openPage();
    assert.equal((await ask(page.host.replace(/-p\d+/, "-p1"), other.ticket)).status, 403, "a ticket for another page");
    assert.equal((await ask(other.host, other.ticket)).status, 403, "which used it up");
  });

  it("see nothing of ours and set nothing of ours", async () => {
    const page = await openPage();
    const cookie = await cookieOf(page);
    seen = [];
    const answer = await ask(page.host, "/", {
      cookie: `tessera=sess_x; mine=2; ${cookie}; __Host-tessera=y`,
      authorization: `Bearer ${world.ana.token}`,
    });
    assert.deepEqual(answer.headers["set-cookie"], ["own=1; Path=/"]);
    const { headers } = seen[0]!;
    assert.deepEqual([headers.cookie, headers.authorization, headers.host], ["mine=2", undefined, page.host]);
  });

  it("answer nothing of the console or the API, and no page of another site", async () => {
    const page = await openPage();
    const cookie = await cookieOf(page);
    const withToken = { cookie, authorization: `Bearer ${world.ana.token}` };
    assert.equal((await ask(page.host, "/v1/whoami", withToken)).text, "page /v1/whoami");
    const site = (from: string, more = {}) => ask(page.host, "/", { cookie, "sec-fetch-site": from, ...more });
    assert.equal((await site("same-origin")).status, 200);
    assert.equal((await site("same-site")).status, 403, "the page of another job");
    assert.equal((await site("cross-site")).status, 403);
    const followed = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    assert.equal((await site("cross-site", followed)).status, 200, "a link that a person follows");
    assert.equal((await ask("console.localhost", "/v1/whoami")).status, 421, "other names are answered by nothing");
  });

  it("speak WebSocket, for the page itself alone", async () => {
    const page = await openPage();
    const cookie = await cookieOf(page);
    const { port } = new URL(world.server.url);
    const open = (origin: string, cookies = cookie) =>
      new WebSocket(`ws://127.0.0.1:${port}/kernel`, { headers: { host: page.host, cookie: cookies, origin } });
    const own = open(`http://${page.host}`);
    await once(own, "open");
    own.send("x");
    assert.equal(String((await once(own, "message"))[0]), "heard x");
    assert.equal(await refusal(open("http://evil.localhost")), 403);
    assert.equal(await refusal(open(`http://${page.host}`, "")), 401);
    own.close();
    await once(own, "close");
  });

  it("close when the person may not enter any more", async () => {
    const max = await world.tenancy.user("max", "tenant-admin", "acme");
    const page = await openPage(max);
    const cookie = await cookieOf(page);
    const before = world.inside.count;
    assert.equal((await ask(page.host, "/", { cookie })).status, 200);
    assert.equal(world.inside.count, before + 1, "a connection is kept for the next request");
    await world.control.must({ kind: "role.unbind", user: max.id, role: "tenant-admin", account: "acme" });
    assert.equal((await ask(page.host, "/", { cookie })).status, 401);
    while (world.inside.count > before) await sleep(5);
  });
});
