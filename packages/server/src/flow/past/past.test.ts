import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { minute, plainTerms, unitsPerGpu } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const began = Date.parse("2030-01-01T00:00:00Z");

describe("a past moment, over the API", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ada: TestUser;
  let bob: TestUser;
  let owner: TestUser;
  let now: number;

  beforeEach(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    now = began;
    control.setTime(now);
    tenancy = new Tenancy(control);
    await tenancy.account("lab", { ...plainTerms, quota: { guarantee: { H100: 8 * unitsPerGpu }, weight: 1 } });
    await tenancy.account("mill");
    ada = await tenancy.user("ada", "member", "lab");
    bob = await tenancy.user("bob", "member", "mill");
    owner = await tenancy.user("own", "platform-owner");
    server = await serveApi(control);
  });

  const ask = (who: TestUser, path: string) => server.call(who.token, "GET", path);
  const momentOf = async (who: TestUser, at: number) =>
    (await ask(who, `/v1/moment?at=${new Date(at).toISOString()}`)).json;
  /** What the console shows now. */
  const present = async (who: TestUser) => ({
    nodes: (await ask(who, "/v1/fleet")).json.items,
    jobs: (await ask(who, "/v1/jobs?state=live")).json.items,
    waiting: (await freshSummary(who)).waiting,
  });
  /** A count serves all that ask within a few milliseconds; this one is of now. */
  const freshSummary = async (who: TestUser) => {
    for (;;) {
      const { json } = await ask(who, "/v1/summary");
      if (Date.parse(json.at) === now) return json;
    }
  };
  const byId = (jobs: { id: string }[]) => [...jobs].sort((a, b) => (a.id < b.id ? -1 : 1));

  it("is what was shown then, for each user, before and after snapshots, forwards and backwards", async (t) => {
    t.after(() => server.close());
    const seen: (Awaited<ReturnType<typeof present>> & { at: number; who: TestUser })[] = [];
    const look = async () => {
      now += minute;
      control.setTime(now);
      for (const who of [ada, bob, owner]) seen.push({ at: now, who, ...(await present(who)) });
      now += minute;
      control.setTime(now);
    };
    await look();
    const first = await tenancy.job("mill", bob.id, { gpus: "H100:8", name: "first" });
    await control.run(first);
    await tenancy.job("lab", ada.id, { gpus: "H100:4", name: "half" });
    await look();
    await control.snapshot();
    const waits = await tenancy.job("mill", bob.id, { gpus: "H100:8", name: "waits" });
    await look();
    await control.finish(first);
    await control.run(waits);
    await server.call(owner.token, "POST", "/v1/nodes/n1/cordon", { reason: "fan" });
    await look();
    await control.snapshot();
    await control.finish(waits);
    await look();
    const compare = async ({ at, who, nodes, jobs, waiting }: (typeof seen)[number]) => {
      const moment = await momentOf(who, at);
      assert.deepEqual(moment.nodes, nodes);
      // Nothing can be done with the past.
      assert.deepEqual(byId(moment.jobs), byId(jobs.map(({ may: _, ...job }: { id: string; may: unknown }) => job)));
      assert.deepEqual(moment.summary, waiting);
      assert.equal(moment.waiting + moment.holding, jobs.length);
      assert.ok(Date.parse(moment.oldest) < began);
    };
    for (const each of [...seen, ...seen.toReversed()]) await compare(each);
  });

  it("lists what waited for a reason, and tells of one job, however many waited", async (t) => {
    t.after(() => server.close());
    // More than an answer lists: two run, a thousand wait for room, and that of ada, held, comes last.
    for (let no = 0; no < 1_002; no++) await tenancy.job("mill", bob.id, { gpus: "H100:8", name: `m${no}` });
    const mine = await tenancy.job("lab", ada.id, { gpus: "H100:1", name: "held", priority: "low" });
    await control.must({ kind: "job.hold", job: mine });
    const at = new Date(now + minute).toISOString();
    now += 2 * minute;
    control.setTime(now);
    const read = async (who: TestUser, query: string) => (await ask(who, `/v1/moment?at=${at}${query}`)).json;
    const whole = await read(owner, "");
    assert.deepEqual([whole.jobs.length, whole.waiting], [1_000, 1_001]);
    assert.ok(whole.jobs.every(({ id }: { id: string }) => id !== mine));
    const held = await read(owner, "&reason=held");
    assert.deepEqual(
      [held.jobs.map(({ id }: { id: string }) => id), held.waiting, held.summary.jobs],
      [[mine], 1, 1_001],
    );
    assert.equal((await read(owner, `&job=${mine}`)).job.reason.kind, "held");
    assert.equal((await read(bob, `&job=${mine}`)).job, undefined, "nobody learns of what they may not see");
    assert.equal((await ask(owner, `/v1/moment?at=${at}&reason=mood`)).status, 400);
  });

  it("shows what one may see now: a role that was taken, and an account that was deleted, are gone from the past", async (t) => {
    t.after(() => server.close());
    const first = await tenancy.job("mill", bob.id, { gpus: "H100:8", name: "first" });
    await control.run(first);
    const then = now + minute;
    now += 2 * minute;
    control.setTime(now);
    const jobsOf = async (who: TestUser, query = "") => {
      const answer = await ask(who, `/v1/moment?at=${new Date(then).toISOString()}${query}`);
      return answer.status === 200 ? answer.json.jobs.map(({ name }: { name: string }) => name) : answer.status;
    };
    assert.deepEqual([await jobsOf(bob), await jobsOf(ada), await jobsOf(owner)], [["first"], [], ["first"]]);
    await control.finish(first);
    await control.must({ kind: "role.unbind", user: bob.id, role: "member", account: "mill" });
    assert.equal(await jobsOf(bob), 403);
    await control.must({ kind: "role.bind", user: bob.id, role: "viewer", account: "lab" });
    assert.deepEqual(await jobsOf(bob), [], "another role does not bring it back");
    await control.must({ kind: "account.delete", path: "mill" });
    assert.deepEqual([await jobsOf(ada), await jobsOf(owner)], [[], ["first"]]);
    assert.equal(await jobsOf(owner, "&project=mill"), 404);
    // Who later has an account of that name has no part in its past.
    now += minute;
    control.setTime(now);
    await tenancy.account("mill");
    const cleo = await tenancy.user("cleo", "member", "mill");
    assert.deepEqual([await jobsOf(cleo), await jobsOf(owner, "&project=mill")], [[], []]);
  });

  it("is refused before the beginning and beyond all plans, with what can be asked", async (t) => {
    t.after(() => server.close());
    const early = await ask(ada, "/v1/moment?at=2020-12-31T00:00:00Z");
    assert.equal(early.status, 404);
    assert.match(early.json.hint, /kept from 20/);
    assert.equal((await ask(ada, "/v1/moment?at=2031-01-01T00:00:00Z")).status, 422);
    assert.equal((await ask(ada, "/v1/moment?at=yesterday")).status, 400);
    assert.equal((await ask(ada, "/v1/moment")).status, 400);
  });
});
