import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { hour, minute, plainTerms, unitsPerGpu } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser, testPrices } from "../../testing/tenancy.ts";

const began = Date.parse("2030-01-01T00:00:00Z");

describe("why not now, over the API", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ada: TestUser;
  let bob: TestUser;
  let owner: TestUser;
  let now: number;

  beforeEach(async () => {
    control = await TestControl.start(undefined, [
      ...fleetOf(2, 8),
      { ...fleetOf(1, 8, "A100")[0]!, name: "a1", place: { zone: "z1", block: "b1", rack: "r2", nvlink: "a1" } },
    ]);
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

  const later = (ms: number) => {
    now += ms;
    control.setTime(now);
  };
  const runJob = async (account: string, user: TestUser, raw: object) => {
    const id = await tenancy.job(account, user.id, raw);
    await control.run(id);
    return id;
  };
  const explain = async (who: TestUser, job: string) =>
    (await server.call(who.token, "GET", `/v1/jobs/${job}/explain`)).json;
  const dry = async (who: TestUser, body: object) =>
    (await server.call(who.token, "POST", "/v1/jobs/dry-run", { run: "true", ...body })).json;

  it("[W1] says who would leave, by rule, and names only those whom the caller may see", async (t) => {
    t.after(() => server.close());
    for (let i = 0; i < 4; i++) await runJob("mill", bob, { gpus: "H100:4", name: `sweep-${i}` });
    const told = await dry(ada, { gpus: "H100:8" });
    assert.deepEqual([told.wouldStart, told.class, told.start.when], [true, "guaranteed", "now"]);
    assert.deepEqual(told.displaces, {
      jobs: 2,
      members: 0,
      gpus: 8,
      by: [{ rule: "reclaim", jobs: 2, members: 0, gpus: 8 }],
      seen: [],
      own: 0,
      hidden: 2,
      within: "30s",
    });
    assert.doesNotMatch(JSON.stringify(told), /sweep|mill/);
    assert.equal(told.spec.retry.max, 0);
    const seen = (await dry(owner, { gpus: "H100:8", project: "lab" })).displaces.seen;
    assert.deepEqual([seen.length, seen[0].project], [2, "mill"]);
    assert.ok([...control.state.leases.values()].every((lease) => lease.state !== "stopping"));
  });

  it("[W2, W3, B3] says who is ahead, the planned start, and what would start it now", async (t) => {
    t.after(() => server.close());
    await runJob("mill", bob, { gpus: "H100:8", max_time: "1h" });
    await runJob("mill", bob, { gpus: "H100:8", max_time: "2h" });
    await tenancy.job("mill", bob.id, { gpus: "H100:8", max_time: "1h", name: "first" });
    const id = await tenancy.job("mill", bob.id, { gpus: "H100:8", name: "second" });
    const told = await explain(bob, id);
    assert.equal(told.reason.detail, "It needs 8 H100 GPUs and 0 are free.");
    assert.deepEqual([told.position, told.ahead], [2, 1]);
    assert.deepEqual(told.aheadBy, { account: { guaranteed: 0, burst: 1 }, others: { guaranteed: 0, burst: 0 } });
    assert.deepEqual(
      [told.start.when, told.start.at, told.start.basis],
      ["later", new Date(now + 2 * hour).toISOString(), "plan"],
    );
    const [first] = told.alternatives;
    assert.deepEqual(first, {
      change: { field: "gpus", from: "H100:8", to: "A100:8" },
      effect: "starts now",
      class: "burst",
    });
    await server.call(bob.token, "POST", `/v1/jobs/${id}/cancel`);
    const changed = await tenancy.job("mill", bob.id, { gpus: first.change.to });
    assert.equal(control.state.jobById.get(changed)!.state, "starting");
  });

  it("offers to release a held job and to open a closed node, each only to users who may", async (t) => {
    t.after(() => server.close());
    for (const { name } of (await server.call(owner.token, "GET", "/v1/nodes")).json.items)
      await server.call(owner.token, "POST", `/v1/nodes/${name}/cordon`, { reason: "fan" });
    const held = await tenancy.job("mill", bob.id, { gpus: "H100:1" });
    await server.call(bob.token, "POST", `/v1/jobs/${held}/hold`);
    assert.deepEqual((await explain(bob, held)).remedies, [
      { act: "release", target: held, text: "Release it: it competes again." },
    ]);
    const id = await tenancy.job("mill", bob.id, { gpus: "H100:8" });
    assert.deepEqual((await explain(bob, id)).remedies, []);
    const told = await explain(owner, id);
    assert.equal(told.reason.kind, "health");
    assert.match(told.remedies[0].text, /^Let (.+) take work again; it is cordoned \(fan\)\.$/);
    await server.call(owner.token, "POST", `/v1/nodes/${told.remedies[0].target}/up`);
    assert.equal(control.state.jobById.get(id)!.state, "starting");
  });

  it("tells what was spent of a budget and when it begins again, and offers to raise it to users who may", async (t) => {
    t.after(() => server.close());
    await control.must({ kind: "price.add", version: testPrices });
    for (let i = 0; i < 2; i++) await runJob("lab", ada, { gpus: "H100:8" });
    const id = await tenancy.job("mill", bob.id, { gpus: "H100:1" });
    const budget = { limitMicros: "1", every: "month", stop: "stop-all" };
    await server.must(owner, "PUT", "/v1/accounts/mill/budget", budget);
    await control.must({ kind: "budget.reach", account: "mill", stop: "stop-all", perMille: 1000, spentMicros: "2" });
    const told = await explain(bob, id);
    assert.deepEqual(
      [told.reason.kind, told.reason.account, told.reason.money.limitMicros, told.reason.until, told.remedies],
      ["budget", "mill", "1", "2030-02-01T00:00:00.000Z", []],
    );
    assert.deepEqual(told.start, { when: "later", at: "2030-02-01T00:00:00.000Z", basis: "period" });
    assert.match(told.reason.money.heldMicros, /^\d+$/);
    assert.equal(told.reason.of, "budget");
    assert.deepEqual((await explain(owner, id)).remedies, [
      { act: "budget", target: "mill", text: "Raise the budget of mill." },
    ]);
  });

  it("[S23] names the jobs that leave for it to users who may see them, with when they are gone", async (t) => {
    t.after(() => server.close());
    for (let i = 0; i < 3; i++) await runJob("mill", bob, { gpus: "H100:4", name: `sweep-${i}` });
    await runJob("lab", ada, { gpus: "H100:4" });
    const id = await tenancy.job("lab", ada.id, { gpus: "H100:4" });
    const { reason } = await explain(ada, id);
    assert.equal(reason.kind, "evicting");
    assert.ok(Date.parse(reason.until) > now);
    assert.deepEqual(reason.waitsFor, [], "jobs of another tenant");
    const seen = (await explain(owner, id)).reason.waitsFor;
    assert.deepEqual(
      seen.map(({ name, state }: { name: string; state: string }) => `${name.replace(/\d/, "N")} ${state}`),
      ["sweep-N stopping"],
    );
  });

  it("[W4] learns a band from past runs of what runs, and says unknown where nothing tells", async (t) => {
    t.after(() => server.close());
    for (const minutes of [10, 20, 30, 40]) {
      const id = await runJob("mill", bob, { gpus: "H100:1", name: "train" });
      later(minutes * minute);
      await control.finish(id);
    }
    const first = await runJob("mill", bob, { gpus: "H100:8", name: "train" });
    const other = await runJob("mill", bob, { gpus: "H100:8", name: "new" });
    const started = now;
    later(15 * minute);
    const waits = await tenancy.job("mill", bob.id, { gpus: "H100:8", name: "waits" });
    const { start } = await explain(bob, waits);
    // It has run for 15 minutes; of those that ran longer, half took 30 minutes and nine of ten 40.
    const at = (minutes: number) => new Date(started + minutes * minute).toISOString();
    assert.deepEqual(start, {
      when: "later",
      at: at(40),
      p50: at(30),
      p90: at(40),
      basis: "run-times",
      samples: 4,
      nodes: [start.nodes[0]],
    });
    const wide = await tenancy.job("mill", bob.id, { gpus: "H100:8", nodes: 2, name: "wide" });
    assert.deepEqual((await explain(bob, wide)).start, {
      when: "unknown",
      why: "1 job that holds GPUs it could use has no max_time, and too few jobs like it have ended",
    });
    assert.ok(control.state.jobById.has(first) && control.state.jobById.has(other));
  });

  it("[B3] plans from not_before on, and says when a deadline would be missed", async (t) => {
    t.after(() => server.close());
    const at = (ms: number) => new Date(now + ms).toISOString();
    const start = async (body: object) => (await dry(bob, { gpus: "H100:8", ...body })).start;
    const later = { not_before: at(hour), max_time: "2h" };
    assert.deepEqual(await start({ ...later, deadline: at(3 * hour) }), {
      when: "later",
      at: at(hour),
      basis: "plan",
      nodes: ["n1"],
    });
    assert.equal((await start({ ...later, deadline: at(2 * hour) })).missesDeadline, at(2 * hour));
  });

  it("[W4] falls back to how long jobs of its name have waited", async (t) => {
    t.after(() => server.close());
    for (const minutes of [5, 10, 20]) {
      const walls = [await runJob("mill", bob, { gpus: "H100:8", name: `wall-${minutes}` })];
      walls.push(await runJob("mill", bob, { gpus: "H100:8", name: `wall-${minutes}` }));
      const id = await tenancy.job("mill", bob.id, { gpus: "H100:8", name: "nightly" });
      later(minutes * minute);
      for (const wall of walls) await control.finish(wall);
      await control.run(id);
      await control.finish(id);
    }
    for (const name of ["x", "y"]) await runJob("mill", bob, { gpus: "H100:8", name });
    const id = await tenancy.job("mill", bob.id, { gpus: "H100:8", name: "nightly" });
    const { start } = await explain(bob, id);
    const at = (minutes: number) => new Date(now + minutes * minute).toISOString();
    assert.deepEqual(start, { when: "later", p50: at(10), p90: at(20), basis: "wait-times", samples: 3 });
  });

  it("[T7] tells the user of an evicted job why, in words that name nobody", async (t) => {
    t.after(() => server.close());
    for (let i = 0; i < 2; i++) await runJob("mill", bob, { gpus: "H100:8", name: `sweep-${i}` });
    const claimant = await tenancy.job("lab", ada.id, { gpus: "H100:8", name: "secret-project" });
    const evicting = await explain(ada, claimant);
    assert.deepEqual([evicting.reason.kind, evicting.start.basis], ["evicting", "eviction"]);
    assert.equal(evicting.start.at, new Date(now + 30_000).toISOString());
    const list = (await server.call(bob.token, "GET", "/v1/jobs")).json.items;
    const victim = list.find((job: { state: string }) => job.state === "stopping");
    const why = "the GPUs were borrowed, and the account they are guaranteed to needs them back";
    assert.equal(victim.detail, `It must leave: ${why}.`);
    for (const { id, job } of [...control.state.leases.values()])
      if (control.state.jobs.get(job)!.id === victim.id)
        await control.report(id, { kind: "exited", ran: true, signal: "SIGTERM" });
    const again = (await server.call(bob.token, "GET", `/v1/jobs/${victim.id}`)).json;
    assert.equal(again.state, "waiting");
    assert.deepEqual([again.attempts[0].result, again.attempts[0].why], ["preempted", why]);
    assert.equal(again.detail, `It waits again, as attempt 2: ${why}. It had exited with code 143.`);
    const feed = (await server.call(bob.token, "GET", "/v1/events")).text;
    assert.match(feed, /the account they are guaranteed to needs them back/);
    assert.doesNotMatch(feed + JSON.stringify(again), /secret-project|lab/);
  });
});
