import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { EndedJobRow } from "../../store/port.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const began = Date.parse("2030-01-10T00:00:00Z");

describe("a list of jobs that a long past is searched for", () => {
  let server: TestServer;
  let ada: TestUser;
  let ended: EndedJobRow[];

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    control.setTime(began);
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ada = await tenancy.user("ada", "member", "lab");
    const submit = async (at: number, name: string) => {
      control.setTime(at);
      await tenancy.job("lab", ada.id, { name });
    };
    // A second between two ended jobs, the newest first: far more than one page reads, and few of them match.
    const rows = 45_000;
    const endedAt = (no: number) => began + (rows - no) * 1_000;
    ended = Array.from({ length: rows }, (_, no) => {
      const name = [100, 20_500, 20_520, 44_000].includes(no) ? `llama-ended-${no}` : "other";
      const id = `job_${String(no).padStart(16, "0")}`;
      const doc = JSON.stringify({ id, name, project: "lab", user: ada.id, state: "ended" });
      const at = { submittedAt: endedAt(no), endedAt: endedAt(no) };
      const keys = { gpus: 1, priority: 0, startedAt: null, ranUntil: endedAt(no) };
      return {
        ...{ id, name, account: "lab", user: ada.id, outcome: "succeeded", arrayId: null, exitCode: 0, doc },
        ...{ ...at, ...keys },
      };
    });
    await submit(began, "llama-oldest");
    for (const no of [44_500, 30_000, 20_510, 50]) await submit(endedAt(no) + 500, `llama-live-${no}`);
    control.reader.jobs = async ({ limit, after: place }) => {
      const from = place === undefined ? 0 : ended.findIndex(({ submittedAt }) => submittedAt < place.submittedAt);
      return from < 0 ? [] : ended.slice(from, from + limit);
    };
    server = await serveApi(control);
  });
  after(() => server.close());

  const page = (limit: number, cursor?: string) => {
    const from = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/v1/jobs?state=all&text=llama&limit=${limit}${from}`;
    return server.must<{ items: { name: string }[]; next?: string }>(ada, "GET", path);
  };
  const pages = async (limit: number) => {
    const found: string[][] = [];
    let cursor: string | undefined;
    do {
      const { items, next } = await page(limit, cursor);
      found.push(items.map(({ name }) => name));
      cursor = next;
    } while (cursor !== undefined);
    return found;
  };

  it("tells each of them once and in its place, however long the pages are", async () => {
    const all = [
      ...["llama-live-50", "llama-ended-100", "llama-ended-20500", "llama-live-20510", "llama-ended-20520"],
      ...["llama-live-30000", "llama-ended-44000", "llama-live-44500", "llama-oldest"],
    ];
    for (const limit of [1, 2, 3, 4, 100]) assert.deepEqual((await pages(limit)).flat(), all, `pages of ${limit}`);
  });

  it("begins before an instant that is named", async () => {
    const at = new Date(began + (45_000 - 20_510) * 1_000 + 500).toISOString();
    const path = `/v1/jobs?state=all&text=llama&limit=2&before=${at}`;
    const first = await server.must<{ items: { name: string }[]; next: string }>(ada, "GET", path);
    const second = await server.must<typeof first>(ada, "GET", `${path}&cursor=${encodeURIComponent(first.next)}`);
    assert.deepEqual(
      [...first.items, ...second.items].map(({ name }) => name),
      ["llama-ended-20520", "llama-live-30000", "llama-ended-44000", "llama-live-44500"],
    );
    const live = await server.must<typeof first>(ada, "GET", `/v1/jobs?sort=name&count=true&before=${at}`);
    assert.deepEqual(
      live.items.map(({ name }) => name),
      ["llama-live-30000", "llama-live-44500", "llama-oldest"],
    );
  });

  it("ends a page where it has read enough, with what it knows until there", async () => {
    assert.deepEqual(await pages(100), [
      ["llama-live-50", "llama-ended-100"],
      ["llama-ended-20500", "llama-live-20510", "llama-ended-20520", "llama-live-30000"],
      ["llama-ended-44000", "llama-live-44500", "llama-oldest"],
    ]);
  });
});
