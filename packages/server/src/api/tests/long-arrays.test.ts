import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Job } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("elements of a long array that are not made yet, over HTTP", () => {
  let control: TestControl;
  let server: TestServer;
  let ada: TestUser;
  let id: string;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    ada = await tenancy.user("ada", "member", "lab");
    server = await serveApi(control);
    const made = await server.call(ada.token, "POST", "/v1/jobs", { run: "true", name: "a", gpus: 1, array: "1-300" });
    assert.deepEqual([made.status, made.json.size], [201, 300], made.text);
    id = made.json.id;
  });
  after(() => server.close());

  const get = async (job: string) => (await server.call(ada.token, "GET", `/v1/jobs/${job}`)).json as Job;
  const act = (job: string, verb: string) => server.call(ada.token, "POST", `/v1/jobs/${job}/${verb}`, {});

  it("are counted with the array, and live in memory only as a number", async () => {
    assert.deepEqual((await get("a")).elements, { size: 300, waiting: 298, active: 2, succeeded: 0, failed: 0 });
    assert.equal(control.state.jobs.size, 102);
  });

  it("are shown, explained and listed like the others", async () => {
    const last = await get("a.300");
    assert.deepEqual([last.id, last.state, last.array], [`${id}.300`, "waiting", { id, index: 300 }]);
    assert.equal(last.reason?.kind, (await get("a.50")).reason?.kind);
    const why = (await server.call(ada.token, "GET", "/v1/jobs/a.300/explain")).json;
    assert.deepEqual([why.state, why.ahead], ["waiting", 297]);
    const indexes: (number | undefined)[] = [];
    for (let cursor = ""; ; ) {
      const page = (await server.call(ada.token, "GET", `/v1/jobs?array=${id}&limit=200${cursor}`)).json;
      indexes.push(...(page.items as Job[]).map(({ array }) => array?.index));
      if (page.next === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.next)}`;
    }
    assert.deepEqual([indexes.length, new Set(indexes).size], [300, 300]);
    assert.equal((await server.call(ada.token, "GET", "/v1/jobs/a.301")).status, 404);
  });

  it("can be cancelled and held by name, and each leaves a record", async () => {
    const gone = await act("a.299", "cancel");
    assert.deepEqual([gone.status, gone.json.outcome], [200, "cancelled"], gone.text);
    assert.equal((await act("a.298", "hold")).json.held, true);
    const shown = await get("a");
    assert.deepEqual([shown.elements?.waiting, shown.elements?.failed], [297, 1]);
    assert.equal((await act("a", "cancel")).status, 200);
    const { items } = (await server.call(ada.token, "GET", `/v1/jobs?array=${id}&state=cancelled&limit=1000`)).json;
    assert.equal(items.length, 298);
    assert.equal((await get("a.200")).outcome, "cancelled");
  });
});
