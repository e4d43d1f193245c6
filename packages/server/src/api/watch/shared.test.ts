import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const waits = { run: "true", not_before: "2100-01-01T00:00:00Z" };

describe("one stream for many lists", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ada: TestUser;
  let bob: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    tenancy = new Tenancy(control);
    for (const path of ["lab", "mill"]) await tenancy.account(path);
    ada = await tenancy.user("ada", "member", "lab");
    bob = await tenancy.user("bob", "member", "mill");
    server = await serveApi(control, { streams: { perTokenMax: 3, perUserMax: 9 } });
  });
  after(() => server.close());

  const open = async (user: TestUser) => {
    const stream = await EventStream.open(`${server.url}/v1/stream`, user.token);
    const opened = (await stream.next())!;
    assert.equal(opened.event, "open");
    return { stream, id: opened.data.stream as string };
  };
  const join = (user: TestUser, path: string, topic: string) =>
    server.call(user.token, "GET", path, undefined, { accept: "text/event-stream", "tessera-stream": topic });
  const submit = async (user: TestUser) => (await server.call(user.token, "POST", "/v1/jobs", waits)).json.id as string;

  it("tells each list under its number, only as far as its reader may see, until it is left", async () => {
    const { stream, id } = await open(ada);
    assert.equal((await join(ada, "/v1/jobs", `${id}-1`)).status, 200);
    assert.deepEqual((await stream.next())!.event, "1.sync");
    assert.equal((await join(ada, "/v1/accounts", `${id}-2`)).status, 200);
    const accounts = (await stream.next())!;
    assert.deepEqual(
      [accounts.event, accounts.data.items.map(({ path }: { path: string }) => path)],
      ["2.sync", ["lab"]],
    );
    await submit(bob); // [S23] of which nothing may be seen here
    const made = await submit(ada);
    const put = (await stream.until(({ event }) => event === "1.put")).at(-1)!;
    assert.equal(put.data.id, made);
    assert.deepEqual((await server.call(ada.token, "GET", "/v1/stream")).json, { streams: 1, lists: 2 });
    assert.equal((await server.call(ada.token, "DELETE", `/v1/stream/${id}-1`)).status, 204);
    assert.deepEqual((await server.call(ada.token, "GET", "/v1/stream")).json, { streams: 1, lists: 1 });
    stream.close();
  });

  it("is joined by lists that its reader may watch, and by nobody else", async () => {
    const { stream, id } = await open(ada);
    assert.equal((await join(ada, "/v1/audit", `${id}-1`)).status, 403);
    assert.equal((await join(bob, "/v1/jobs", `${id}-1`)).status, 404);
    assert.equal((await join(ada, "/v1/jobs", `${id}-1`)).status, 200);
    assert.equal((await server.call(bob.token, "DELETE", `/v1/stream/${id}-1`)).status, 204, "as if there were none");
    assert.equal((await server.call(ada.token, "GET", "/v1/stream")).json.lists, 1);
    const other = await tenancy.token(ada.id);
    assert.equal((await join({ ...ada, ...other }, "/v1/jobs", `${id}-1`)).status, 404, "another token");
    assert.equal((await join(ada, "/v1/jobs", "nonsense")).status, 400);
    assert.equal((await join(ada, "/v1/jobs?limit=0", `${id}-1`)).status, 400);
    stream.close();
  });

  it("counts each list as a stream", async () => {
    const user = await tenancy.user("many", "member", "lab");
    const { stream, id } = await open(user);
    assert.equal((await join(user, "/v1/jobs", `${id}-1`)).status, 200);
    assert.equal((await join(user, "/v1/accounts", `${id}-2`)).status, 200);
    assert.equal((await join(user, "/v1/nodes", `${id}-3`)).status, 429);
    assert.equal((await join(user, "/v1/nodes", `${id}-2`)).status, 200, "in place of another");
    stream.close();
  });

  /** A list that is found only after a read of the store, which `go` lets end. */
  const heldList = async (user: TestUser) => {
    const job = await submit(user);
    await server.call(user.token, "POST", `/v1/jobs/${job}/cancel`);
    const { promise, resolve: go } = Promise.withResolvers<void>();
    const read = control.reader.job;
    let reads = 0;
    control.reader.job = async (id) => {
      reads++;
      await promise;
      return read.call(control.reader, id);
    };
    /** Waits until so many joins are at the read. */
    const isAt = async (joins: number) => {
      while (reads < joins) await sleep(5);
    };
    const end = () => {
      go();
      control.reader.job = read;
    };
    return { path: `/v1/events?job=${job}`, isAt, end };
  };

  it("is not counted any more where it closed before a list had joined it", async () => {
    const user = await tenancy.user("closes", "member", "lab");
    const { path, isAt, end } = await heldList(user);
    const first = await open(user);
    const joining = join(user, path, `${first.id}-1`);
    await isAt(1);
    first.stream.close();
    while ((await server.call(user.token, "GET", "/v1/stream")).json.streams > 0) await sleep(5);
    end();
    assert.equal((await joining).status, 404);
    const { stream, id } = await open(user);
    assert.equal((await join(user, "/v1/jobs", `${id}-1`)).status, 200);
    assert.equal((await join(user, "/v1/jobs", `${id}-2`)).status, 200, "the third of three");
    stream.close();
  });

  it("counts one list under a number that two join at once", async () => {
    const user = await tenancy.user("twice", "member", "lab");
    const { path, isAt, end } = await heldList(user);
    const { stream, id } = await open(user);
    const joining = [join(user, path, `${id}-1`), join(user, path, `${id}-1`)];
    await isAt(2);
    end();
    const answered = (await Promise.all(joining)).map(({ status }) => status);
    assert.ok(answered.includes(200), `${answered}`);
    assert.deepEqual((await server.call(user.token, "GET", "/v1/stream")).json, { streams: 1, lists: 1 });
    assert.equal((await join(user, "/v1/jobs", `${id}-2`)).status, 200, "the third of three");
    stream.close();
  });

  it("[S33] ends when its token is revoked or its roles change", async () => {
    const user = await tenancy.user("leaves", "team-admin", "lab");
    for (const lose of [
      () => control.must({ kind: "role.bind", user: user.id, role: "viewer", account: "mill" }),
      () => control.must({ kind: "token.revoke", token: user.tokenId }),
    ]) {
      const { stream, id } = await open(user);
      assert.equal((await join(user, "/v1/jobs", `${id}-1`)).status, 200);
      await lose();
      while ((await stream.next()) !== undefined);
    }
    assert.equal((await EventStream.open(`${server.url}/v1/stream`, user.token)).response.status, 401);
  });

  it("carries a log beside lists, from the place that is asked for, until it is left or over", async () => {
    const job = await submit(ada);
    const lines = [1, 2, 3].map((at) => ({ at, rank: 0, stream: "stdout", text: `line ${at}` }) as const);
    control.logLines.set(`${job}-1-0`, lines);
    const running = (await server.call(ada.token, "POST", "/v1/jobs", { run: "x", gpus: 1 })).json.id;
    control.logLines.set(`${running}-1-0`, lines);
    await control.run(running);
    const { stream, id } = await open(ada);
    const path = `/v1/jobs/${running}/logs`;
    assert.equal((await join(ada, `${path}?tail=2`, `${id}-1`)).text, ": told on the stream\n\n");
    const told = await stream.until(({ event }) => event === "1.end");
    assert.deepEqual(
      told.map(({ event }) => event),
      ["1.begin", "1.lines", "1.end"],
    );
    assert.equal(told[0]!.data.attempt, 1);
    assert.deepEqual(
      told[1]!.data.map(({ at, text }: { at: string; text: string }) => `${at} ${text}`),
      ["1970-01-01T00:00:00.002Z line 2", "1970-01-01T00:00:00.003Z line 3"],
    );
    assert.deepEqual(told[2]!.data, { whole: true });
    assert.equal((await server.call(ada.token, "GET", "/v1/stream")).json.lists, 0, "what is over is not counted");
    const eve = await tenancy.user("eve", "member", "lab");
    const others = await open(eve);
    assert.equal((await join(eve, path, `${others.id}-1`)).status, 403, "[S23] the log of another member");
    others.stream.close();
    let left = () => {};
    const reading = new Promise<void>((resolve) => {
      left = resolve;
    });
    control.logs = async function* (_lease, { signal }) {
      yield lines[0]!;
      await new Promise<void>((resolve) => signal!.addEventListener("abort", () => resolve(), { once: true }));
      left();
    };
    assert.equal((await join(ada, `${path}?follow=true`, `${id}-2`)).status, 200);
    await stream.until(({ event }) => event === "2.lines");
    assert.equal((await server.call(ada.token, "GET", "/v1/stream")).json.lists, 1);
    await server.call(ada.token, "DELETE", `/v1/stream/${id}-2`);
    await reading;
    stream.close();
  });

  it("reads logs no faster than its reader does, however many and however fast they print", async () => {
    const printer = await tenancy.user("prints", "member", "lab");
    const jobs: string[] = [];
    for (const name of ["one", "two"]) {
      jobs.push((await server.call(printer.token, "POST", "/v1/jobs", { run: "x", name, gpus: 1 })).json.id);
      await control.run(jobs.at(-1)!);
    }
    let printed = 0;
    control.logs = async function* (_lease, { signal }) {
      for (let at = 1; !signal?.aborted; at++, printed++)
        yield { at, rank: 0, stream: "stdout", text: "x".repeat(1_000) } as const;
    };
    const answer = await fetch(`${server.url}/v1/stream`, {
      headers: { authorization: `Bearer ${printer.token}`, accept: "text/event-stream" },
    });
    const reader = answer.body!.getReader();
    const [, id] = /"stream":"([a-z0-9]+)"/.exec(Buffer.from((await reader.read()).value!).toString())!;
    for (const [i, job] of jobs.entries())
      assert.equal((await join(printer, `/v1/jobs/${job}/logs?follow=true`, `${id}-${i + 1}`)).status, 200);
    // Nobody reads: what is printed stays where it is once connection and buffers are full.
    let before = -1;
    for (; before !== printed; await sleep(300)) before = printed;
    assert.ok(printed < 20_000, `${printed} lines were read that nobody took`);
    const seen = new Set<string>();
    for (let text = ""; seen.size < 2; ) {
      text += Buffer.from((await reader.read()).value!).toString();
      for (const [, number] of text.matchAll(/event: (\d)\.lines/g)) seen.add(number!);
    }
    await reader.cancel();
  });
});
