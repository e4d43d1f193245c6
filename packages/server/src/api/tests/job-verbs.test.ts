import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import type { JobId } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("verbs on jobs over HTTP", () => {
  let control: TestControl;
  let server: TestServer;
  let tenancy: Tenancy;
  let ada: TestUser;
  let bo: TestUser;
  let admin: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 4));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    await tenancy.account("mill");
    ada = await tenancy.user("ada", "member", "lab");
    bo = await tenancy.user("bo", "member", "lab");
    admin = await tenancy.user("eve", "team-admin", "lab");
    server = await serveApi(control);
  });
  after(() => server.close());

  const submit = async (user: TestUser, body: object): Promise<string> => {
    const made = await server.call(user.token, "POST", "/v1/jobs", { run: "true", ...body });
    assert.equal(made.status, 201, made.text);
    return made.json.id;
  };
  const get = async (user: TestUser, job: string) => server.call(user.token, "GET", `/v1/jobs/${job}`);
  const act = async (user: TestUser, job: string, verb: string) =>
    server.call(user.token, "POST", `/v1/jobs/${encodeURIComponent(job)}/${verb}`, {});

  beforeEach(async () => {
    for (const job of [...control.state.jobs.values()]) {
      if (control.state.jobs.get(job.no) === undefined) continue;
      await control.must({ kind: "job.cancel", job: job.id });
      await control.finish(job.id, 143);
    }
  });

  it("a name means the live job, and the one that ended last only where none is live", async () => {
    const live = await submit(ada, { name: "sleep", gpus: 4 });
    const late = await submit(ada, { name: "sleep", gpus: 4 });
    assert.equal((await act(ada, late, "cancel")).status, 200);
    assert.equal((await get(ada, "sleep")).json.id, live);
    assert.equal((await act(ada, "sleep", "cancel")).json.id, live);
    await control.finish(live, 143);
    assert.equal((await get(ada, "sleep")).json.state, "ended");
  });

  it("a name of several live jobs is refused with what tells them apart; one's own come first", async () => {
    const first = await submit(ada, { name: "python3" });
    const others = await submit(bo, { name: "python3" });
    assert.equal((await get(ada, "python3")).json.id, first);
    assert.equal((await get(bo, "python3")).json.id, others);
    const second = await submit(ada, { name: "python3" });
    const refused = await act(ada, "python3", "cancel");
    assert.equal(refused.status, 409);
    assert.equal(refused.json.code, "ambiguous");
    assert.deepEqual(refused.json.jobs.map((job: { id: string }) => job.id).sort(), [first, second].sort());
    assert.deepEqual([refused.json.jobs[0].user, refused.json.jobs[0].project], ["ada", "lab"]);
    const after = await server.call(ada.token, "POST", "/v1/jobs", { run: "true", after: "python3" });
    assert.equal(after.status, 422);
    assert.match(after.json.detail, /after "python3" is the name of 2 live jobs/);
  });

  it("administrators of its account, and no others, cancel a job by force", async () => {
    const job = await submit(ada, { gpus: 1, checkpoint: { grace: "15m", signal: "USR1" } });
    await control.run(job);
    const force = (user: TestUser) => server.call(user.token, "POST", `/v1/jobs/${job}/cancel`, { force: true });
    assert.equal((await act(ada, job, "cancel")).json.state, "stopping");
    assert.deepEqual([(await force(ada)).status, (await force(bo)).status], [403, 403]);
    assert.equal(control.state.jobById.get(job as JobId)!.forced, undefined);
    assert.equal((await force(admin)).json.state, "stopping");
    assert.equal(control.state.jobById.get(job as JobId)!.forced, true);
  });

  it("what does not exist is named, with the nearest name that one may see", async () => {
    await submit(ada, { name: "llama-ft" });
    await tenancy.job("mill", ada.id, { name: "llama-fx" });
    const none = await get(bo, "llama-f");
    assert.equal(none.status, 404);
    assert.match(none.json.detail, /There is no job "llama-f"/);
    assert.equal(none.json.hint, "Did you mean llama-ft?");
  });

  it("an element is found by array and index, and an array says which elements did not succeed", async () => {
    const id = await submit(ada, { name: "frames", array: "1,3,7-8", gpus: 1 });
    for (const [index, code] of [
      [1, 0],
      [3, 4],
      [7, 0],
    ] as const) {
      await control.run(`${id}.${index}`);
      await control.finish(`${id}.${index}`, code);
    }
    for (const name of ["frames.3", "frames[3]", `${id}[3]`])
      assert.equal((await get(ada, encodeURIComponent(name))).json.id, `${id}.3`);
    assert.deepEqual((await get(ada, "frames")).json.elements.failedIndexes, [3]);
    await control.run(`${id}.8`);
    await control.finish(`${id}.8`, 9);
    const ended = (await get(ada, "frames")).json;
    assert.deepEqual([ended.outcome, ended.elements.failedIndexes], ["failed", [3, 8]]);
    const listed = await server.call(ada.token, "GET", "/v1/jobs?state=failed&name=frames");
    assert.deepEqual(
      listed.json.items.map((job: { id: string; elements: object }) => [job.id, job.elements]),
      [[id, ended.elements]],
    );
    const elements = await server.call(ada.token, "GET", `/v1/jobs?state=failed&array=${id}`);
    assert.deepEqual(elements.json.items.map((job: { id: string }) => job.id).sort(), [`${id}.3`, `${id}.8`]);
  });

  it("a job names the jobs that it waits for, and the one that did not succeed", async () => {
    const first = await submit(ada, { name: "prep" });
    const then = await submit(ada, { name: "train", after: "prep" });
    assert.match((await get(ada, then)).json.reason.detail, new RegExp(`It runs after prep \\(${first}\\)`));
    await control.run(first);
    await control.finish(first, 1);
    assert.match((await get(ada, then)).json.detail, new RegExp(`prep \\(${first}\\), which it was to run after`));
  });

  it("a suspended job waits held and says why it waits again; resumed it goes on; requeued too", async () => {
    const id = await submit(ada, { name: "long", gpus: 4 });
    await control.run(id);
    assert.equal((await act(bo, id, "suspend")).status, 403);
    assert.equal((await act(ada, id, "suspend")).json.state, "stopping");
    await control.finish(id, 0);
    const held = (await get(ada, id)).json;
    assert.deepEqual([held.state, held.held, held.attempt, held.reason.kind], ["waiting", true, 2, "held"]);
    assert.equal(held.detail, "It waits again, as attempt 2: it was suspended. It had exited with code 0.");
    const why = await server.call(ada.token, "GET", `/v1/jobs/${id}/explain`);
    assert.equal(why.json.again, held.detail);
    assert.equal((await act(ada, id, "release")).json.state, "starting");
    await control.run(id);
    assert.equal((await act(admin, id, "requeue")).json.state, "stopping");
    const again = await act(ada, id, "requeue");
    assert.equal(again.status, 409);
    assert.match(again.json.detail, /is stopping: only a running job can be sent back to the queue/);
    await control.finish(id, 143);
    assert.equal((await get(ada, id)).json.attempt, 3);
  });

  it("a waiting job can be edited, as far as that does not change what it runs", async () => {
    const runs = await submit(ada, { name: "hog", gpus: 4 });
    const id = await submit(ada, { name: "next", gpus: 4, max_time: "2h", checkpoint: { grace: "5m" } });
    const edit = (user: TestUser, body: object, job = id) => server.call(user.token, "PATCH", `/v1/jobs/${job}`, body);
    assert.equal((await edit(bo, { set: { priority: 5 } })).status, 403);
    const smaller = await edit(ada, { set: { gpus: 2, nodes: "1..2" }, unset: ["max_time"] });
    assert.equal(smaller.status, 200, smaller.text);
    const { spec } = smaller.json;
    assert.deepEqual([spec.gpus, spec.nodes, spec.max_time, spec.checkpoint.grace], [2, "1..2", undefined, "5m"]);
    for (const [body, detail] of [
      [{ set: { run: "false" } }, /run "false" cannot be changed: what a job runs is part of its record/],
      [{ set: { name: "other" } }, /^name.* cannot be changed: other jobs and past run times refer to it/],
      [{ set: { project: "mill" } }, /project "mill" cannot be changed/],
      [{ set: { gpus: 5 } }, /gpus 5 is more than any node has/],
      [{ unset: ["max_tme"] }, /"max_tme" is not a field of a job/],
    ] as const) {
      const refused = await edit(ada, body);
      assert.ok(refused.status >= 400 && refused.status < 500, refused.text);
      assert.match(refused.json.detail, detail);
    }
    const running = await edit(ada, { set: { priority: 5 } }, runs);
    assert.match(running.json.detail, /is starting: only a waiting job can be edited/);
    await control.run(runs);
    await control.finish(runs);
    assert.match((await edit(ada, { set: { priority: 5 } }, runs)).json.detail, /has ended/);
  });

  it("what was recorded can be submitted again as it is", async () => {
    const id = await submit(ada, { name: "again", gpus: 1, array: "2,5%1", env: { LR: "0.1" }, retry: 2 });
    const { spec } = (await get(ada, id)).json;
    const made = await server.call(ada.token, "POST", "/v1/jobs", spec);
    assert.equal(made.status, 201, made.text);
    assert.deepEqual((await get(ada, made.json.id)).json.spec, spec);
    assert.deepEqual(spec.array, "2,5%1");
  });

  it("labels are changed in any state by who may control the job, and lists are cut by them, past ones too", async () => {
    const job = await submit(ada, { name: "tuned", gpus: 1, labels: { sweep: "lr" } });
    const plain = await submit(ada, { name: "plain", gpus: 1 });
    const edit = (user: TestUser, body: object) => server.call(user.token, "PATCH", `/v1/jobs/${job}`, body);
    const listed = async (query: string) =>
      (await server.call(ada.token, "GET", `/v1/jobs?${query}`)).json.items.map(({ id }: { id: string }) => id);
    assert.deepEqual(await listed("label=sweep%3Dlr"), [job]);
    await control.run(job);
    const changed = await edit(ada, { labels: { best: "yes", sweep: null } });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([changed.json.labels, changed.json.spec.labels], [{ best: "yes" }, { best: "yes" }]);
    assert.deepEqual(await listed("label=sweep"), []);
    assert.deepEqual(await listed("label=best"), [job]);
    assert.deepEqual(await listed("label=best%3Dno"), []);
    assert.deepEqual((await edit(ada, { set: { labels: { sweep: "lr", run: "2" } } })).json.labels, {
      run: "2",
      sweep: "lr",
    });
    assert.equal((await edit(bo, { labels: { mine: "now" } })).status, 403);
    assert.equal((await edit(admin, { labels: { seen: "eve" } })).json.labels.seen, "eve");
    const both = await edit(ada, { set: { priority: 3 }, labels: { x: "1" } });
    assert.match(both.json.detail, /only a waiting job can be edited/);
    const wrong = await edit(ada, { labels: { "bad key": "1" } });
    assert.equal(wrong.status, 400);
    assert.match(wrong.json.detail, /bad key/);
    await control.finish(job, 0);
    assert.equal((await edit(ada, { labels: { late: "1" } })).status, 409);
    assert.deepEqual(await listed("state=ended&label=sweep%3Dlr"), [job]);
    assert.deepEqual(await listed("state=all&label=sweep%3Dbatch"), []);
    const asked = await server.call(ada.token, "PATCH", `/v1/jobs/${plain}`, { labels: { from: "file" } });
    assert.equal(asked.status, 200, asked.text);
    const file = { run: "true", name: "plain", gpus: 1 };
    const apply = async (body: object) => (await server.call(ada.token, "POST", "/v1/jobs/apply", body)).json;
    assert.equal((await apply(file)).applied, "unchanged", "labels are no other job");
    const again = await apply({ ...file, labels: { a: "1" } });
    assert.deepEqual([again.applied, again.id], ["labelled", plain]);
    assert.equal((await apply({ ...file, labels: { a: "1" } })).applied, "unchanged");
    assert.deepEqual((await get(ada, plain)).json.labels, { a: "1", from: "file" });
    const events = (await server.call(ada.token, "GET", `/v1/events?job=${job}&kind=job-held,job-labelled`)).json.items;
    assert.deepEqual(new Set(events.map((event: { kind: string }) => event.kind)), new Set(["job-labelled"]));
    assert.equal(events.at(-1).name, (await get(ada, job)).json.name);
    assert.equal(events.at(-1).text, "was labelled best=yes and lost the label sweep");
  });
});
