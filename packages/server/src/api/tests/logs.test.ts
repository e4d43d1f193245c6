import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { plainText } from "@tessera/wire/log-text";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { mergeByTime } from "../handle/merge-logs.ts";

describe("logs", () => {
  let control: TestControl;
  let server: TestServer;
  let ada: TestUser;
  let bob: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ada = await tenancy.user("ada", "member", "lab");
    bob = await tenancy.user("bob", "member", "lab");
    server = await serveApi(control);
  });
  after(() => server.close());

  const logs = async (user: TestUser, job: string, query = "") => {
    const answer = await server.call(user.token, "GET", `/v1/jobs/${job}/logs${query}`);
    return { status: answer.status, code: answer.json?.code, lines: answer.text.trim().split("\n").filter(Boolean) };
  };
  const line = (at: number, rank: number, text: string) => ({ at, rank, stream: "stdout", text }) as const;

  it("hold what the job was warned of, in the attempt that was warned", async () => {
    const idle = { do: "stop", for: "1h", gpu_below: "5%" };
    const { id } = (await server.call(ada.token, "POST", "/v1/jobs", { run: "x", gpus: 1, idle })).json;
    control.logLines.set(`${id}-1-0`, [line(1000, 0, "a")]);
    await control.run(id);
    const { attempt, startedAt: since } = control.state.jobById.get(id)!;
    control.setTime(since + 55 * 60_000);
    await control.must({ kind: "job.idle", job: id, attempt, since, activity: 20 });
    const { lines } = await logs(ada, id);
    assert.equal(JSON.parse(lines[0]!).text, "a");
    assert.match(
      JSON.parse(lines[1]!).text,
      /^idle: its GPUs are below 5% since .* \(measured at most 0.2%\); it is stopped at /,
    );
    assert.equal(JSON.parse(lines[1]!).stream, "tessera");
    await control.finish(id, 0);
    assert.equal((await logs(ada, id)).lines.length, 2, "also after the end");
  });

  it("come from all ranks in order of time, of the last attempt that ran, also after the end", async () => {
    const { id } = (await server.call(ada.token, "POST", "/v1/jobs", { run: "x", nodes: 2, retry: 1, gpus: 8 })).json;
    control.logLines.set(`${id}-1-0`, [line(1000, 0, "a"), line(3000, 0, "c")]);
    control.logLines.set(`${id}-1-1`, [line(2000, 1, "b"), line(4000, 1, "d")]);
    control.logLines.set(`${id}-2-0`, [line(9000, 0, "again")]);
    await control.run(id);
    const texts = ({ lines }: { lines: string[] }) => lines.map((each) => JSON.parse(each).text).join("");
    assert.equal(texts(await logs(ada, id)), "abcd");
    assert.deepEqual(JSON.parse((await logs(ada, id)).lines[0]!), {
      at: "1970-01-01T00:00:01.000Z",
      rank: 0,
      stream: "stdout",
      text: "a",
    });
    assert.equal(texts(await logs(ada, id, "?rank=1")), "bd");
    assert.equal(texts(await logs(ada, id, "?rank=0&tail=1")), "c");
    assert.equal(texts(await logs(ada, id, "?since=1970-01-01T00:00:03Z")), "cd");
    assert.equal((await logs(ada, id, "?rank=2")).status, 422);
    assert.equal((await logs(ada, id, "?attempt=2")).status, 422);
    await control.finish(id, 1);
    assert.equal(control.state.jobs.size, 1);
    assert.equal(texts(await logs(ada, id)), "abcd", "it waits to try again: the attempt that ran is meant");
    control.setTime(control.now() + 10_000);
    await control.tick();
    await control.run(id);
    assert.equal(texts(await logs(ada, id)), "again");
    await control.finish(id, 0);
    assert.equal(control.state.jobs.size, 0);
    assert.equal(texts(await logs(ada, id)), "again");
    assert.equal(texts(await logs(ada, id, "?attempt=1")), "abcd");
    assert.equal((await logs(ada, id, "?attempt=3")).status, 422);
  });

  it("are for the one who submitted the job, not for every member", async () => {
    const { id } = (await server.call(ada.token, "POST", "/v1/jobs", { run: "x" })).json;
    assert.equal((await logs(ada, id)).status, 200);
    assert.equal((await logs(bob, id)).code, "forbidden");
    assert.equal((await server.call(bob.token, "GET", `/v1/jobs/${id}`)).status, 200);
    assert.equal((await server.call(bob.token, "POST", `/v1/jobs/${id}/cancel`)).status, 403);
    assert.equal((await server.call(ada.token, "POST", `/v1/jobs/${id}/cancel`)).status, 200);
  });

  it("are searched for a text and for errors, and cut to the last of those found, before an instant", async () => {
    const { id } = (await server.call(ada.token, "POST", "/v1/jobs", { run: "x", nodes: 2, gpus: 1 })).json;
    control.logLines.set(`${id}-1-0`, [
      line(1000, 0, "Loss 1"),
      line(3000, 0, "\u001b[31mCUDA error: \u001b[0mbad"),
      line(6000, 0, "loss 2"),
    ]);
    control.logLines.set(`${id}-1-1`, [line(2000, 1, "LOSS 3"), line(5000, 1, "RuntimeError"), line(7000, 1, "end")]);
    await control.run(id);
    const texts = async (query: string) =>
      (await logs(ada, id, query)).lines.map((each) => plainText(JSON.parse(each).text));
    assert.deepEqual(await texts("?find=loss"), ["Loss 1", "LOSS 3", "loss 2"]);
    assert.deepEqual(await texts("?find=loss&tail=2"), ["LOSS 3", "loss 2"]);
    assert.deepEqual(await texts("?errors=true"), ["CUDA error: bad", "RuntimeError"]);
    assert.deepEqual(await texts("?errors=true&tail=1&rank=0"), ["CUDA error: bad"]);
    assert.deepEqual(await texts("?find=error%3A%20bad"), ["CUDA error: bad"], "across colours");
    assert.deepEqual(await texts("?until=1970-01-01T00:00:05Z&tail=2"), ["LOSS 3", "CUDA error: bad"]);
    assert.deepEqual(await texts("?errors=false&until=1970-01-01T00:00:03Z"), ["Loss 1", "LOSS 3"]);
    for (const query of ["?find=x&follow=true", "?errors=true&tail=10001", "?until=nonsense"]) {
      const { status } = await logs(ada, id, query);
      assert.ok(status === 422 || status === 400, `${query}: ${status}`);
    }
  });

  it("stop being read when the client leaves", async () => {
    const { id } = (await server.call(ada.token, "POST", "/v1/jobs", { run: "x" })).json;
    let stopped: () => void;
    const left = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    control.logs = async function* (_lease, { signal }) {
      yield line(1, 0, "first");
      await new Promise<void>((resolve) => signal!.addEventListener("abort", () => resolve(), { once: true }));
      stopped();
    };
    const abort = new AbortController();
    const answer = await fetch(`${server.url}/v1/jobs/${id}/logs?follow=true`, {
      headers: { authorization: `Bearer ${ada.token}` },
      signal: abort.signal,
    });
    const reader = answer.body!.getReader();
    assert.match(Buffer.from((await reader.read()).value!).toString(), /first/);
    abort.abort();
    await left;
  });
});

describe("merging", () => {
  async function* stream(...items: number[]) {
    for (const at of items) yield { at };
  }

  it("keeps the order of time and waits for nobody who has nothing to say", async () => {
    const never = (async function* () {
      await new Promise(() => {});
      yield { at: 0 };
    })();
    const leave = new AbortController();
    const seen: number[] = [];
    for await (const { at } of mergeByTime([stream(1, 4, 5, 9), stream(2, 3, 8), never], leave.signal)) {
      seen.push(at);
      if (seen.length === 7) leave.abort();
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 8, 9]);
  });

  it("waits longer for the first line of each, which may have to be read from a disk or another machine", async () => {
    const slow = (async function* () {
      await new Promise((resolve) => setTimeout(resolve, 150));
      yield { at: 2 };
    })();
    const seen: number[] = [];
    for await (const { at } of mergeByTime([stream(1, 3), slow], new AbortController().signal)) seen.push(at);
    assert.deepEqual(seen, [1, 2, 3]);
  });

  it("passes an error on", async () => {
    const broken = (async function* () {
      yield { at: 1 };
      throw new Error("gone");
    })();
    await assert.rejects(async () => {
      for await (const _ of mergeByTime([broken, stream(2)], new AbortController().signal));
    }, /gone/);
  });
});
