import assert from "node:assert/strict";
import net from "node:net";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const waits = { run: "true", not_before: "2100-01-01T00:00:00Z" };

describe("watching a list", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ada: TestUser;
  let owner: TestUser;
  let bob: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    tenancy = new Tenancy(control);
    for (const path of ["lab", "lab/vision", "mill"]) await tenancy.account(path);
    ada = await tenancy.user("ada", "member", "lab");
    bob = await tenancy.user("bob", "member", "mill");
    owner = await tenancy.user("own", "platform-owner");
    server = await serveApi(control, {
      watch: { eventsKeptMax: 20, unreadBytesMax: 20_000 },
      streams: { perUserMax: 6 },
    });
  });
  after(() => server.close());

  const watch = (user: TestUser, path: string, lastId?: string) =>
    EventStream.open(`${server.url}${path}`, user.token, lastId === undefined ? {} : { "last-event-id": lastId });
  const submit = async (user: TestUser, body: object = waits) =>
    (await server.call(user.token, "POST", "/v1/jobs", body)).json.id as string;

  it("gives the list, then each change, and how a job ended before it leaves", async () => {
    const old = await submit(ada);
    const stream = await watch(ada, "/v1/jobs");
    const sync = (await stream.next())!;
    assert.equal(sync.event, "sync");
    assert.deepEqual(
      sync.data.items.map((job: { id: string }) => job.id),
      [old],
    );
    await submit(bob); // [S23] of which nothing may be seen here
    const made = await submit(ada, { run: "true", name: "short" });
    const put = (await stream.next())!;
    assert.deepEqual([put.event, put.data.id, put.data.state], ["put", made, "starting"]);
    await control.run(made);
    await stream.until((event) => event.data.state === "running");
    await control.finish(made, 3);
    const [ended, gone] = [(await stream.next())!, (await stream.next())!];
    assert.deepEqual([ended.event, ended.data.state, ended.data.exitCode], ["put", "ended", 3]);
    assert.deepEqual([gone.event, gone.data], ["delete", { id: made }]);
    await server.call(ada.token, "POST", `/v1/jobs/${old}/cancel`);
    await stream.until((event) => event.event === "delete" && event.data.id === old);
    stream.close();
  });

  it("goes on after the last event that was seen, without a gap", async () => {
    const stream = await watch(ada, "/v1/jobs?state=all&limit=1");
    const sync = (await stream.next())!;
    const one = await submit(ada);
    const seen = await stream.until((event) => event.data.id === one);
    const two = await submit(ada);
    await stream.until((event) => event.data.id === two);
    stream.close();
    const three = await submit(ada);
    const again = await watch(ada, "/v1/jobs?state=all&limit=1", seen.at(-1)!.id);
    const missed = await again.until((event) => event.data.id === three);
    assert.deepEqual(
      missed.map((event) => [event.event, event.data.id]),
      [
        ["put", two],
        ["put", three],
      ],
    );
    again.close();
    // Another request, another user or an event that is no longer kept: the whole list again.
    for (const [user, path, id] of [
      [ada, "/v1/jobs?state=all&limit=2", seen.at(-1)!.id],
      [owner, "/v1/jobs?state=all&limit=1", seen.at(-1)!.id],
      [ada, "/v1/jobs?state=all&limit=1", "nonsense"],
      [ada, "/v1/jobs?state=all&limit=1", sync.id.replace(/.-/, "z-")],
    ] as const) {
      const fresh = await watch(user, path, id);
      assert.equal((await fresh.next())!.event, "sync");
      fresh.close();
    }
    for (let i = 0; i < 25; i++) await submit(ada);
    const late = await watch(ada, "/v1/jobs?state=all&limit=1", seen.at(-1)!.id);
    await late.until((event) => event.event === "sync" || event.data.id !== undefined);
    late.close();
  });

  it("ends when the watcher's roles change or the token is revoked [S33]", async () => {
    const eve = await tenancy.user("eve", "viewer", "lab");
    const stream = await watch(eve, "/v1/jobs");
    const sync = (await stream.next())!;
    await control.must({ kind: "role.unbind", user: eve.id, role: "viewer", account: "lab" });
    assert.equal(await stream.next(), undefined);
    const again = await watch(eve, "/v1/jobs", sync.id);
    assert.equal(again.response.status, 403);
    await control.must({ kind: "role.bind", user: eve.id, role: "viewer", account: "lab" });
    const second = await watch(eve, "/v1/jobs", sync.id);
    assert.equal((await second.next())!.event, "sync");
    await control.must({ kind: "token.revoke", token: eve.tokenId });
    assert.equal(await second.next(), undefined);
  });

  it("works for every list that can be watched", async () => {
    const changes: readonly (readonly [string, () => Promise<unknown>, (data: Record<string, unknown>) => boolean])[] =
      [
        ["/v1/accounts", () => tenancy.account("lab/new"), (data) => data.path === "lab/new"],
        [
          "/v1/nodes",
          () => control.must({ kind: "node.cordon", node: "n2", reason: "fan" }),
          (data) => data.name === "n2" && data.mode === "cordoned",
        ],
        [
          "/v1/gpus?node=n2",
          () => control.must({ kind: "node.up", node: "n2" }),
          (data) => data.uuid === "GPU-2-7" && data.mode === "up",
        ],
        [
          "/v1/users",
          () => server.call(owner.token, "POST", "/v1/users", { name: "zoe" }),
          (data) => data.name === "zoe",
        ],
        [
          "/v1/role-bindings",
          () => server.call(owner.token, "POST", "/v1/role-bindings", { user: "zoe", role: "viewer", account: "lab" }),
          (data) => data.userName === "zoe",
        ],
        [
          "/v1/tokens",
          () => server.call(owner.token, "POST", "/v1/tokens", { label: "watched" }),
          (data) => data.label === "watched",
        ],
        [
          "/v1/audit",
          () => server.call(owner.token, "POST", "/v1/accounts", { path: "lab/audited" }),
          (data) => data.target === "lab/audited",
        ],
        ["/v1/events", () => tenancy.account("lab/told"), (data) => data.subject === "lab/told"],
      ];
    for (const [path, act, wish] of changes) {
      const stream = await watch(owner, path);
      assert.equal((await stream.next())?.event, "sync", path);
      await act();
      const seen = await stream.until((event) => event.event === "put" && wish(event.data));
      assert.ok(seen.length > 0, path);
      stream.close();
    }
    const accounts = await watch(owner, "/v1/accounts");
    await accounts.next();
    const { id } = control.state.accountByPath.get("lab/told")!;
    await control.must({ kind: "account.delete", path: "lab/told" });
    await accounts.until((event) => event.event === "delete" && event.data.id === id);
    accounts.close();
  });

  it("cuts off a reader that does not read, and lets it come back", async () => {
    const array = await submit(ada, { ...waits, run: "x".repeat(60_000), array: "1-300" });
    const port = Number(new URL(server.url).port);
    const socket = net.connect({ port, host: "127.0.0.1" });
    socket.on("error", () => {});
    const path = `/v1/jobs?array=${array}&limit=1`;
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ada.token}\r\nAccept: text/event-stream\r\n\r\n`,
    );
    await new Promise<void>((resolve) => socket.once("data", () => resolve(socket.pause() && undefined)));
    // Each change is 18 MB that is not read: the network's own buffers are soon full, and then the server gives up.
    for (let held = true; await streamsOpen(); held = !held) {
      await server.call(ada.token, "POST", `/v1/jobs/${array}/${held ? "hold" : "release"}`);
    }
    socket.destroy();
    await server.call(ada.token, "POST", `/v1/jobs/${array}/cancel`);
    const back = await watch(ada, path);
    assert.equal((await back.next())!.event, "sync");
    back.close();
  });

  async function streamsOpen(): Promise<boolean> {
    return !(await server.call(owner.token, "GET", "/metrics")).text.includes("tessera_http_streams 0");
  }

  it("gives each user only so many streams", async () => {
    const open = await Promise.all(Array.from({ length: 6 }, () => watch(bob, "/v1/jobs")));
    const more = await watch(bob, "/v1/jobs");
    assert.equal(more.response.status, 429);
    for (const stream of [...open, more]) stream.close();
  });
});
