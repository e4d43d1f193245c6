import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { hour, minute } from "@tessera/core";
import type { FleetPlanShape, Moment, PlanBlock } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const began = Date.parse("2030-01-01T00:00:00Z");
const at = (ms: number) => new Date(began + ms).toISOString();

describe("the plan of the fleet, over the API", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ada: TestUser;
  let bob: TestUser;
  let owner: TestUser;

  /** Two nodes of 8: `long` of mill and `short` of lab run; `wide`, which needs both nodes, is planned behind them. */
  beforeEach(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    control.setTime(began);
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    await tenancy.account("mill");
    ada = await tenancy.user("ada", "member", "lab");
    bob = await tenancy.user("bob", "member", "mill");
    owner = await tenancy.user("own", "platform-owner");
    server = await serveApi(control);
    await control.run(await tenancy.job("mill", bob.id, { gpus: "H100:8", name: "long", max_time: "3h" }));
    await control.run(await tenancy.job("lab", ada.id, { gpus: "H100:4", name: "short", max_time: "1h" }));
    await tenancy.job("mill", bob.id, { gpus: "H100:8", nodes: 2, name: "wide", max_time: "2h" });
    await tenancy.job("lab", ada.id, { gpus: "H100:8", name: "next", max_time: "4h" });
  });

  const ask = (who: TestUser, path: string) => server.call(who.token, "GET", path);
  const planOf = async (who: TestUser, ahead = "24h"): Promise<FleetPlanShape> =>
    (await ask(who, `/v1/plan?ahead=${ahead}`)).json;
  const momentOf = async (who: TestUser, ms: number): Promise<Moment> =>
    (await ask(who, `/v1/moment?at=${at(ms)}`)).json;
  const named = ({ blocks }: FleetPlanShape) => blocks.filter(({ whose }) => whose === "job");
  const short = ({ kind, name, gpus, from, until }: PlanBlock) => [kind, name ?? "", gpus, from, until];

  it("has the ends of what runs and the starts that explanations tell", async (t) => {
    t.after(() => server.close());
    const plan = await planOf(owner);
    assert.deepEqual(named(plan).map(short), [
      ["running", "long", 8, at(0), at(3 * hour)],
      ["running", "short", 4, at(0), at(hour)],
      ["planned", "wide", 16, at(3 * hour), at(5 * hour)],
      ["planned", "next", 8, at(5 * hour), at(9 * hour)],
    ]);
    assert.deepEqual([plan.gpus, plan.planned], [16, 2]);
    const planned = plan.blocks.filter(({ kind }) => kind === "planned");
    assert.equal(planned.length, 2);
    for (const { job, from } of planned) {
      const { start } = (await ask(owner, `/v1/jobs/${job}/explain`)).json;
      assert.equal(start.at, from, "the plan and the explanation of a job say the same");
    }
  });

  it("tells of other tenants only their GPUs", async (t) => {
    t.after(() => server.close());
    const plan = await planOf(ada);
    assert.deepEqual(plan.blocks.map(({ whose, name, gpus }) => [whose, name ?? "", gpus]).sort(), [
      ["job", "next", 8],
      ["job", "short", 4],
      ["others", "", 16],
      ["others", "", 8],
    ]);
    assert.doesNotMatch(JSON.stringify(plan), /mill|wide|long/);
    assert.equal(plan.planned, 1);
    assert.doesNotMatch(JSON.stringify(await momentOf(ada, 4 * hour)), /mill|wide|"long"/);
  });

  it("is what Fleet and Queue show at a moment to come", async (t) => {
    t.after(() => server.close());
    const cells = ({ nodes }: Moment) => nodes.map((node) => node.cells.replaceAll("b", "h").replaceAll("g", "h"));
    const look = async (ms: number) => {
      const moment = await momentOf(owner, ms);
      const { started, ended, asOf } = moment.planned!;
      assert.equal(asOf, at(0));
      assert.equal(moment.summary.jobs, moment.waiting, "all that wait are counted by reason and account too");
      const counts = cells(moment).map((each) => each.replaceAll(".", "").length);
      return [
        started.map(({ name }) => name),
        ended.map(({ name }) => name),
        moment.waiting,
        moment.holding,
        counts.sort(),
      ];
    };
    assert.deepEqual(await look(minute), [[], [], 2, 2, [4, 8]]);
    assert.deepEqual(await look(hour), [[], ["short"], 2, 1, [0, 8]]);
    assert.deepEqual(await look(4 * hour), [["wide"], ["short", "long"], 1, 1, [8, 8]]);
    assert.deepEqual(await look(6 * hour), [["wide", "next"], ["short", "long"], 0, 1, [0, 8]]);
    assert.deepEqual(await look(10 * hour), [["wide", "next"], ["short", "long"], 0, 0, [0, 0]]);
  });

  it("ends an array with the last of its elements", async (t) => {
    t.after(() => server.close());
    await tenancy.job("lab", ada.id, { gpus: "H100:2", name: "sweep", array: "0-2", max_time: "1h" });
    const look = async (ms: number) => {
      const { jobs, summary } = await momentOf(ada, ms);
      return [jobs.find(({ name }) => name === "sweep")?.state ?? "gone", summary.jobs, summary.gpus];
    };
    // Two elements find room beside `short`; the third waits, and with it the GPUs of `next`.
    assert.deepEqual(await look(minute), ["running", 1, 2 + 8]);
    assert.equal((await look(24 * hour))[0], "gone");
  });

  it("shows maintenance, and refuses what lies too far ahead", async (t) => {
    t.after(() => server.close());
    const window = { from: at(30 * hour), to: at(31 * hour), reason: "fans" };
    const set = await server.call(owner.token, "POST", "/v1/nodes/n1/maintenance", window);
    assert.equal(set.status < 300, true, JSON.stringify(set.json));
    const { closed } = await planOf(owner, "2d");
    assert.deepEqual(closed, [{ why: "maintenance", nodes: 1, gpus: 8, from: window.from, until: window.to }]);
    const modes = (moment: Moment) => moment.nodes.map(({ mode }) => mode).sort();
    assert.deepEqual(modes(await momentOf(owner, 30.5 * hour)), ["maintenance", "up"]);
    assert.deepEqual(modes(await momentOf(owner, 32 * hour)), ["up", "up"]);
    for (const ahead of ["8d", "1s", "soon"]) {
      const refused = await ask(owner, `/v1/plan?ahead=${ahead}`);
      assert.ok([400, 422].includes(refused.status), `${ahead}: ${refused.status}`);
    }
    assert.equal((await ask(owner, `/v1/moment?at=${at(8 * 24 * hour)}`)).status, 422);
  });
});
