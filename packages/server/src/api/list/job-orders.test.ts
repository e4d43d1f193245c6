import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Job } from "@tessera/wire";
import { openMemoryStore } from "../../store/memory.ts";
import type { EndedJobRow, Store } from "../../store/port.ts";
import { batchAfter } from "../../testing/batches.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const began = Date.parse("2030-01-10T00:00:00Z");
const now = began + 3_600_000;
const text = (at: number) => new Date(at).toISOString();

/** What each order sorts by, from what the list shows. */
const keys: Readonly<Record<string, (job: Job) => string | number>> = {
  submitted: ({ submittedAt }) => submittedAt,
  name: ({ name }) => name,
  project: ({ project }) => project,
  user: ({ userName = "", user }) => `${userName}\n${user}`,
  gpus: ({ gpus }) => gpus,
  priority: ({ priority }) => priority,
  started: ({ startedAt }) => startedAt ?? "~",
  since: ({ endedAt, startedAt, submittedAt }) => endedAt ?? startedAt ?? submittedAt,
  waited: ({ submittedAt, startedAt, endedAt }) =>
    Date.parse(startedAt ?? endedAt ?? text(now)) - Date.parse(submittedAt),
  ran: ({ startedAt, endedAt }) =>
    startedAt === undefined ? 0 : Date.parse(endedAt ?? text(now)) - Date.parse(startedAt),
  state: ({ state, outcome = "" }) => (state === "ended" ? outcome : `~${state}`),
};

describe("a list of jobs in an order", () => {
  let server: TestServer;
  let owner: TestUser;
  let ada: TestUser;
  let store: Store;

  const rowOf = (no: number, user: string): EndedJobRow => {
    const submittedAt = began + (no % 13) * 60_000;
    const startedAt = no % 7 === 0 ? null : submittedAt + (no % 5) * 1_000;
    const ranUntil = (startedAt ?? submittedAt) + (no % 11) * 2_000;
    const [name, account] = [`job-${no % 17}`, no % 3 === 0 ? "lab/nlp" : "studio"];
    const outcome = ["succeeded", "failed", "timed-out"][no % 3]!;
    const id = `job_${String(no).padStart(16, "0")}`;
    const [gpus, priority] = [[1, 4, 8][no % 3]!, [0, 5, -5][no % 4 === 3 ? 1 : 0]!];
    const times = { ...(startedAt !== null && { startedAt: text(startedAt) }), endedAt: text(ranUntil) };
    const shown = { id, name, project: account, user, state: "ended", outcome, gpus, priority };
    const doc = JSON.stringify({ ...shown, submittedAt: text(submittedAt), ...times });
    const row = { id, name, account, user, arrayId: null, outcome, exitCode: 0, gpus, priority, doc };
    return { ...row, submittedAt, startedAt, ranUntil, endedAt: ranUntil };
  };

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(2, 8));
    control.setTime(began - 1_000);
    const tenancy = new Tenancy(control);
    for (const path of ["lab", "lab/nlp", "studio"]) await tenancy.account(path);
    owner = await tenancy.user("owner", "platform-owner", "");
    ada = await tenancy.user("ada", "member", "lab");
    const bob = await tenancy.user("bob", "member", "studio");
    store = openMemoryStore();
    const jobs = Array.from({ length: 240 }, (_, no) => rowOf(no, no % 2 === 0 ? ada.id : bob.id));
    await store.append(batchAfter(await store.head(), { projected: { jobs } }));
    for (const [no, account] of ["lab/nlp", "studio", "lab/nlp", "studio", "studio"].entries()) {
      control.setTime(began + no * 120_000 + 500);
      await tenancy.job(account, ada.id, { name: `job-${no + 3}` });
    }
    control.setTime(now);
    const { reader } = control;
    for (const method of ["jobs", "jobKeys", "jobsById", "walkJobs", "hasOrder", "jobGroups", "countJobs"] as const)
      Object.defineProperty(reader, method, { value: (...asked: [never]) => store[method](...asked) });
    server = await serveApi(control);
  });
  after(() => server.close());

  const all = async (user: TestUser, query: string) => {
    const found: Job[] = [];
    for (let cursor = "", pages = 0; pages < 200; pages++) {
      const page = await server.must<{ items: Job[]; next?: string }>(user, "GET", `/v1/jobs?${query}${cursor}`);
      found.push(...page.items);
      if (page.next === undefined) return found;
      cursor = `&cursor=${encodeURIComponent(page.next)}`;
    }
    throw new Error("the list does not end");
  };

  it("holds live and ended jobs once each and in order, whatever it is cut to", async () => {
    const cuts = [
      { user: owner, query: "state=all", many: 245 },
      { user: ada, query: "state=all", many: 82 },
      { user: owner, query: "state=failed", many: 80 },
      { user: owner, query: "state=ended&user=ada", many: 120 },
      { user: owner, query: "state=all&text=job-16", many: 14 },
      { user: owner, query: "state=all&project=lab", many: 82 },
      { user: owner, query: "state=all&project=lab&own=true", many: 0 },
      { user: owner, query: "state=all&project=lab/nlp&own=true", many: 82 },
    ];
    for (const { user, query, many } of cuts)
      for (const [name, keyOf] of Object.entries(keys))
        for (const way of ["", "-"]) {
          const found = await all(user, `${query}&sort=${way}${name}&limit=${way === "" ? 37 : 100}`);
          assert.equal(new Set(found.map(({ id }) => id)).size, many, `${query} ${way}${name}: each once`);
          assert.equal(found.length, many);
          const isInOrder = found.every((job, i) => {
            const [a, b] = [keyOf(found[Math.max(0, i - 1)]!), keyOf(job)];
            return way === "" ? a <= b : a >= b;
          });
          assert.ok(isInOrder, `${query} ${way}${name}: ${found.map(keyOf).join(" ")}`);
        }
  });

  it("puts what has no place in an order after or before all others", async () => {
    const reasons = (await all(owner, "state=all&sort=-reason&limit=50")).slice(0, 240);
    assert.ok(reasons.every(({ state, reason }) => state === "ended" || reason === undefined));
    const queue = await all(owner, "state=all&sort=priority-age&limit=50");
    assert.ok(queue.slice(0, 5).every(({ state }) => state !== "ended"));
  });

  it("reads a bounded part of the past for a page, and leads on", async () => {
    const reads: number[] = [];
    const { walkJobs } = store;
    store.walkJobs = (walk) => {
      reads.push(walk.stepsMax);
      return walkJobs.call(store, walk);
    };
    const alike = [
      { user: ada, query: "state=all" },
      { user: owner, query: "state=failed&user=ada" },
    ];
    const asked = alike.flatMap((each) =>
      Object.keys(keys).flatMap((name) => ["", "-"].map((way) => ({ ...each, sort: `${way}${name}` }))),
    );
    const ids = async ({ user, query, sort }: (typeof asked)[number]) =>
      (await all(user, `${query}&sort=${sort}&limit=30`)).map(({ id }) => id);
    const put = await Promise.all(asked.map(ids));
    assert.equal(reads.length, 0, "few are put in order as they are asked for");
    store.countJobs = async () => 1_000_000;
    assert.deepEqual(await Promise.all(asked.map(ids)), put, "of many an index is walked through, to the same end");
    assert.ok(reads.length > 0);
    const { items, next } = await server.must<{ items: Job[]; next?: string }>(
      owner,
      "GET",
      "/v1/jobs?state=ended&text=no-such-job&sort=gpus",
    );
    assert.deepEqual([items, next], [[], undefined], "the walk has come to the end");
    assert.ok(reads.every((steps) => steps <= 20_000));
    store.hasOrder = () => false;
    const refused = await server.call(owner.token, "GET", "/v1/jobs?state=failed&sort=name");
    assert.equal(refused.status, 422);
    assert.match(refused.text, /encrypted/);
  });
});
