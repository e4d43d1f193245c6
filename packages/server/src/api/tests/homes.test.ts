import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { plainTerms, unitsPerGpu } from "@tessera/core";
import type { AnswerOf, NodeShape, Problem, SearchHit, SummaryShape } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { SeriesFollower } from "../../work/series-follower.ts";

describe("what the palette and the homes ask for", () => {
  let control: TestControl;
  let server: TestServer;
  let follower: SeriesFollower;
  let dir: string;
  let tenancy: Tenancy;
  let owner: TestUser;
  let admin: TestUser;
  let ana: TestUser;
  let rival: TestUser;
  const minute = 60_000;
  const start = 1_800_000_000_000;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "tessera-homes-"));
    control = await TestControl.start(undefined, []);
    control.setTime(start);
    await control.must({ kind: "node.register", nodes: fleetOf(2, 8) });
    tenancy = new Tenancy(control);
    const quota = { ...plainTerms.quota, guarantee: { "*": 8 * unitsPerGpu } };
    owner = await tenancy.user("owner", "platform-owner");
    await tenancy.account("acme", { ...plainTerms, quota });
    await tenancy.account("acme/vision", { ...plainTerms, quota });
    await tenancy.account("acme/vision/deep");
    await tenancy.account("acme/speech");
    await tenancy.account("rival");
    admin = await tenancy.user("boss", "tenant-admin", "acme");
    ana = await tenancy.user("ana", "member", "acme");
    rival = await tenancy.user("rita", "member", "rival");
    const job = await tenancy.job("acme/vision/deep", ana.id, { name: "llama-ft-1", gpus: 4 });
    await control.run(job);
    const timed = { name: "llama-ft-2", gpus: 2, max_time: "10m" };
    await control.run(await tenancy.job("acme/vision", admin.id, timed));
    const lost = await tenancy.job("acme/speech", ana.id, { name: "lost", gpus: 1 });
    await control.run(lost);
    await control.finish(lost, 1);
    await tenancy.job("acme/vision", ana.id, { name: "large", gpus: 8, nodes: 2, max_time: "1h" });
    control.setTime(start + 4 * minute);
    follower = await SeriesFollower.open(control.reader, join(dir, "series.sqlite"), assert.fail);
    const head = await control.reader.head();
    await follower.follow({ seq: head.seq, now: start + 5 * minute });
    const series = {
      read: async (query: Parameters<SeriesFollower["answer"]>[0]) => follower.answer(query, start + 5 * minute),
    };
    server = await serveApi(control, {}, undefined, undefined, undefined, undefined, undefined, series);
  });
  after(async () => {
    await server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const find = async (user: TestUser, query: string) =>
    (await server.must<{ items: SearchHit[] }>(user, "GET", `/v1/search?${query}`)).items;

  it("finds a job by the letters that its parts begin with, and says how it is and what may be done", async () => {
    const [first] = await find(ana, "q=lft1");
    assert.deepEqual([first?.name, first?.state, first?.may], ["llama-ft-1", "running", "all"]);
    const [others] = await find(ana, "q=lft2");
    assert.deepEqual([others?.name, others?.may?.includes("cancelJob")], ["llama-ft-2", false]);
    assert.deepEqual((await find(admin, "q=lft")).map(({ name, may }) => [name, may]).sort(), [
      ["llama-ft-1", "all"],
      ["llama-ft-2", "all"],
    ]);
    assert.deepEqual(await find(rival, "q=lft1"), []);
  });

  it("finds one kind alone where that is asked", async () => {
    assert.deepEqual([...new Set((await find(owner, "q=n&kind=node")).map(({ kind }) => kind))], ["node"]);
    assert.deepEqual(await find(owner, "q=lft1&kind=node"), []);
    assert.equal((await server.call(owner.token, "GET", "/v1/search?q=n&kind=thing")).status, 400);
  });

  it("tells what each account right below holds, waits for and lost, with all below it", async () => {
    const { below } = await server.must<SummaryShape>(admin, "GET", "/v1/summary?below=true&project=acme");
    const [vision, speech, ...others] = below!;
    assert.deepEqual(others, []);
    assert.equal(vision?.account, "acme/vision");
    assert.deepEqual([vision?.held, vision?.guarantee, vision?.running.jobs, vision?.failed], [6, 8, 2, 0]);
    assert.deepEqual(vision?.waiting, {
      jobs: 1,
      gpus: 16,
      oldestAt: new Date(start).toISOString(),
    });
    assert.deepEqual([speech?.account, speech?.held, speech?.waiting.jobs, speech?.failed], ["acme/speech", 0, 0, 1]);
    assert.equal((await server.must<SummaryShape>(admin, "GET", "/v1/summary")).below, undefined);
    const tenants = await server.must<SummaryShape>(owner, "GET", "/v1/summary?below=true");
    assert.ok(tenants.below?.some(({ account, failed }) => account === "acme" && failed === 1));
    assert.equal((await server.call(rival.token, "GET", "/v1/summary?below=true&project=acme")).status, 404);
    const { status, json } = await server.call(admin.token, "GET", "/v1/summary?below=true&user=ana");
    const { field, value } = json as Problem;
    assert.deepEqual([status, field, value], [422, "user", "ana"]);
  });

  it("tells when jobs are expected to start and to end, and where that comes from, of few at a time", async () => {
    const list = async (query: string) =>
      (await server.must<AnswerOf<"listJobs">>(ana, "GET", `/v1/jobs?limit=20&outlook=true&${query}`)).items;
    const [timed] = await list("name=llama-ft-2");
    assert.deepEqual([timed?.outlook?.percent, timed?.outlook?.basis], [40, "max_time"]);
    const [large] = await list("name=large");
    assert.ok(large?.outlook?.start !== undefined);
    for (let no = 0; no < 25; no++) await tenancy.job("acme/vision", ana.id, { name: `many-${no}`, gpus: 8, nodes: 2 });
    const told = (await server.must<AnswerOf<"listJobs">>(ana, "GET", "/v1/jobs?limit=25&outlook=true")).items;
    assert.deepEqual([told.length, told.filter(({ outlook }) => outlook !== undefined).length], [25, 20]);
  });

  it("tells what ends or moves when a node is emptied, and how much of it is the caller's", async () => {
    const { items } = await server.must<AnswerOf<"listNodes">>(owner, "GET", "/v1/nodes");
    const loads = await Promise.all(
      items.map(({ name }) => server.must<NodeShape>(ana, "GET", `/v1/nodes/${encodeURIComponent(name)}`)),
    );
    const sum = (of: (load: NonNullable<NodeShape["load"]>) => number) =>
      loads.reduce((all, { load }) => all + of(load!), 0);
    assert.deepEqual([sum(({ jobs }) => jobs), sum(({ own }) => own), sum(({ gpus }) => gpus)], [2, 1, 6]);
    assert.equal(items[0]?.load, undefined);
    const named = loads.flatMap(({ load }) => load!.named);
    assert.deepEqual(named.map(({ name, project, endsAt }) => [name, project, endsAt !== undefined]).sort(), [
      ["llama-ft-1", "acme/vision/deep", false],
      ["llama-ft-2", "acme/vision", true],
    ]);
  });

  it("shows what was done with special rights, without the jobs", async () => {
    await server.must(admin, "POST", "/v1/accounts", { path: "acme/new" });
    await server.must(ana, "POST", "/v1/jobs", { project: "acme/speech", gpus: 1, run: "true" });
    const actionsOf = async (user: TestUser, query: string) =>
      (await server.must<AnswerOf<"listAudit">>(user, "GET", `/v1/audit?${query}`)).items.map(({ action }) => action);
    assert.ok((await actionsOf(admin, "limit=100")).includes("job.submit"));
    assert.deepEqual(await actionsOf(admin, "limit=100&privileged=true"), ["account.create"]);
    // Counted and found by the store: a page is full, and whatever else was done in between does not hide them.
    for (const path of ["acme/new2", "acme/new3"]) await server.must(admin, "POST", "/v1/accounts", { path });
    const { items, total, next } = await server.must<AnswerOf<"listAudit">>(
      admin,
      "GET",
      "/v1/audit?privileged=true&limit=2&count=true",
    );
    assert.deepEqual([items.map(({ target }) => target), total], [["acme/new3", "acme/new2"], 3]);
    assert.notEqual(next, undefined);
    assert.deepEqual(await actionsOf(admin, "privileged=true&action=job.submit"), []);
  });

  it("counts tokens made and revoked for others among special rights, and not one's own", async () => {
    const own = await server.must<{ id: string }>(admin, "POST", "/v1/tokens", {});
    await server.must(admin, "DELETE", `/v1/tokens/${own.id}`);
    const { id } = await server.must<{ id: string }>(admin, "POST", "/v1/tokens", { user: "ana" });
    await server.must(admin, "DELETE", `/v1/tokens/${id}`);
    await server.notices.flush(true);
    const found = await server.must<AnswerOf<"listAudit">>(admin, "GET", "/v1/audit?privileged=true&limit=2");
    assert.deepEqual(
      found.items.map(({ action, targetName, detail, account }) => [action, targetName, detail, account]).sort(),
      [
        ["token.create-for-other", "ana", id, "acme"],
        ["token.revoke-of-other", "ana", id, "acme"],
      ],
    );
  });

  it("tells what roles do not allow from what was not found and from who was not signed in, and counts it", async () => {
    for (let no = 0; no < 3; no++) await server.call(ana.token, "PUT", "/v1/policy", {});
    await server.call(ana.token, "DELETE", "/v1/accounts/acme");
    await server.call(ana.token, "GET", "/v1/jobs/nothing");
    await server.call("tess_wrong", "GET", "/v1/jobs");
    await server.notices.flush(true);
    const refused = async (query: string) =>
      await server.must<AnswerOf<"listAudit">>(owner, "GET", `/v1/audit?count=true&limit=1&${query}`);
    const all = await refused("outcome=refused");
    assert.ok(all.total! >= 4, `${all.total}`);
    const { items, total, next } = await refused("refusal=forbidden");
    assert.deepEqual([items[0]?.action, total], ["account.write", 2]);
    assert.equal((await refused(`refusal=forbidden&cursor=${next}`)).items[0]?.action, "policy.write");
    assert.equal((await refused("refusal=not-found")).items[0]?.action, "job.read");
    assert.equal((await refused("refusal=unauthenticated")).items[0]?.actor, "stranger");
    assert.equal((await refused("refusal=forbidden&account=rival")).total, 0);
    const { status, json } = await server.call(owner.token, "GET", "/v1/audit?refusal=forbidden&outcome=failed");
    assert.deepEqual([status, (json as Problem).field], [422, "refusal"]);
  });
});
