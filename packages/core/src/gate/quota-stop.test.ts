import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pricesOf } from "../bill/sample.fixture.ts";
import { noAccount } from "../model/ids.ts";
import { hour, unitsPerGpu } from "../model/units.ts";
import { demandOf } from "../quota/demand.ts";
import { jobId, World } from "../testing/world.ts";
import { isPlannable, type ProposedStart, quotaStop } from "./quota-stop.ts";

/** A start of one of the waiting jobs, now. */
function startOf(w: World, id: string): ProposedStart {
  const job = w.state.jobById.get(jobId(id))!;
  return { job, choice: 0, demand: demandOf(w.state, job, 0, 0), now: w.now };
}

const stopOf = (w: World, id: string) => quotaStop(w.state, startOf(w, id));

/** Eight GPUs, all used by `busy`, so that whatever is submitted waits. */
function full(): World {
  const w = new World().nodes(["n", "H100:8"]).account("busy");
  w.submit("wall", "busy", { gpus: 8 });
  return w.run("wall");
}

describe("what keeps a job from starting beside seats", () => {
  it("nothing, where only seats are missing", () => {
    const w = full().account("lab");
    w.submit("job", "lab");
    assert.equal(stopOf(w, "job"), undefined);
  });

  it("[C5] a max, until jobs of the account end: a start can be planned", () => {
    const w = new World().nodes(["n", "H100:8"]).account("lab", { max: 3 });
    w.submit("first", "lab", { gpus: 2 });
    w.submit("job", "lab", { gpus: 2 });
    const stop = stopOf(w, "job");
    assert.ok(stop?.kind === "max");
    assert.deepEqual(
      [stop.hit.maxUnits, stop.hit.usedUnits, isPlannable(stop)],
      [3 * unitsPerGpu, 2 * unitsPerGpu, true],
    );
  });

  it("[C4] no guarantee with room for a job that must not be preempted: a start can be planned", () => {
    const w = full().account("lab", { guarantee: 2 });
    w.submit("wide", "lab", { gpus: 2, preemptible: false });
    const start = startOf(w, "wide");
    const lab = start.job.account;
    assert.equal(quotaStop(w.state, { ...start, cover: lab }), undefined);
    const stop = quotaStop(w.state, { ...start, cover: noAccount });
    assert.deepEqual(stop, { kind: "must-be-guaranteed" });
    assert.ok(isPlannable(stop!));
  });

  it("[C5] an idle guarantee that is not lent: a start can be planned", () => {
    const quota = { guarantee: { "*": 6 * unitsPerGpu }, lendable: { "*": 2 * unitsPerGpu }, weight: 1 };
    const w = new World().nodes(["n", "H100:8"]).account("keeps", { quota }).account("lab");
    w.submit("first", "lab", { gpus: 2 });
    w.submit("job", "lab", { gpus: 3 });
    const stop = stopOf(w, "job");
    assert.deepEqual(stop, { kind: "not-lent", unlentUnits: 4 * unitsPerGpu });
    assert.ok(isPlannable(stop!));
    w.submit("less", "lab", { gpus: 2 });
    assert.equal(w.stateOf("less"), "starting");
  });

  it("a limit of GPUs for each user, which no plan waits for", () => {
    const w = new World().nodes(["n", "H100:8"]).account("lab", { limits: { gpusPerUserMax: 2 } });
    w.submit("first", "lab", { gpus: 2 });
    w.submit("second", "lab");
    const stop = stopOf(w, "second");
    assert.ok(stop?.kind === "limit" && stop.hit.kind === "gpus-per-user");
    assert.deepEqual([stop.hit.max, isPlannable(stop)], [2, false]);
  });

  it("a limit of GPU time, until its window ends", () => {
    const gpuTime = { unitMsMax: unitsPerGpu * hour, everyMs: 24 * hour };
    const w = new World().nodes(["n", "H100:8"]).account("lab", { limits: { gpuTime } });
    w.submit("first", "lab", { gpus: 2 });
    w.run("first").tick(30 * 60_000);
    w.submit("second", "lab");
    const stop = stopOf(w, "second");
    assert.ok(stop?.kind === "limit" && stop.hit.kind === "gpu-time");
    assert.deepEqual([stop.hit.until, isPlannable(stop)], [24 * hour, false]);
  });

  it("a spent budget before everything else, and for burst work a price above its max_price", () => {
    const w = new World().nodes(["n", "H100:8"]).account("lab", { max: 3 });
    w.submit("first", "lab", { gpus: 2 });
    w.must({ kind: "price.add", version: pricesOf({}) });
    w.submit("job", "lab", { gpus: 2, max_price: 1 });
    const kindAs = (cover: number) => quotaStop(w.state, { ...startOf(w, "job"), cover: cover as never })?.kind;
    const lab = w.state.accountByPath.get("lab")!.no;
    assert.deepEqual([kindAs(noAccount), kindAs(lab)], ["price", "max"]);
    const limits = { limitMicros: "1", every: "month", alertsPerMille: [], stop: "refuse-new" } as const;
    w.must({ kind: "budget.set", budget: { account: "lab", currency: "EUR", ...limits } });
    w.must({ kind: "budget.reach", account: "lab", stop: "refuse-new", perMille: 1000, spentMicros: "2" });
    const stop = stopOf(w, "job");
    assert.ok(stop?.kind === "budget" && !isPlannable(stop));
    assert.deepEqual([stop.hit.account, stop.hit.of, kindAs(lab)], ["lab", "budget", "budget"]);
  });
});
