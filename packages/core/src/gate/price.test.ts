import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pricesOf } from "../bill/sample.fixture.ts";
import type { Event } from "../journal/event.ts";
import { hour, unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { jobId, World } from "../testing/world.ts";
import { reasonFor } from "../why/reason-for.ts";

const timesOfDay = [{ zone: "UTC", days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 0, toMinute: 60, perMille: 500 }];

/** H100 at 3 an hour beyond the guarantee, at half of it between the hours 2 and 3. */
function world(times = timesOfDay): World {
  const w = new World().nodes(["n", "H100:4"]).account("lab", { guarantee: 1 });
  w.must({ kind: "price.add", version: pricesOf({ timesOfDay: times }) });
  return w;
}

function foresee(w: World): void {
  const windows = [{ fromAt: 2 * hour, toAt: 3 * hour, perMille: 500 }];
  w.must({ kind: "price.foresee", ahead: { fromAt: w.now, toAt: 100 * hour, windows } });
}

function reasonOf(w: World, id: string) {
  return reasonFor(w.state, w.state.jobById.get(jobId(id))!, w.now);
}

describe("max_price", () => {
  it("lets a job wait while an hour costs more, says when it costs less, and starts it then", () => {
    const w = world();
    foresee(w);
    w.submit("floor", "lab");
    w.submit("thrifty", "lab", { max_price: "1.50" });
    assert.deepEqual(reasonOf(w, "thrifty"), {
      kind: "price",
      values: {
        model: "H100",
        currency: "EUR",
        hourMicros: 3_000_000n,
        maxMicros: 1_500_000n,
        guarantor: "lab",
      },
      until: 2 * hour,
    });
    w.tick(2 * hour - w.now);
    assert.equal(w.stateOf("thrifty"), "starting");
  });

  it("holds back no job inside a guarantee, at a price it pays, or where there are no prices", () => {
    const w = world();
    foresee(w);
    w.submit("covered", "lab", { max_price: 0.01 });
    w.submit("rich", "lab", { max_price: 3 });
    const free = new World().nodes(["n", "H100:1"]).account("lab");
    free.submit("any", "lab", { max_price: 0.000001 });
    assert.deepEqual([w.stateOf("covered"), w.stateOf("rich"), free.stateOf("any")], Array(3).fill("starting"));
  });

  it("stops a burst job when the price rises above its max_price, and the job waits again", () => {
    const w = world();
    foresee(w);
    w.submit("floor", "lab");
    w.submit("night", "lab", { max_price: 2 });
    w.tick(2 * hour - w.now);
    w.run("night");
    const [stop] = w.tick(hour).filter((event) => event.kind === "lease-stopping");
    assert.ok(stop?.kind === "lease-stopping");
    assert.equal(stop.cause, "budget");
    assert.match(stop.why!, /an hour of H100 costs 3\.00 EUR/);
    w.exit("night", 1);
    assert.equal(w.stateOf("night"), "waiting");
    assert.equal(reasonOf(w, "night").kind, "price");
  });

  it("stops a job at once that falls out of its guarantee and would pay too much, and no other", () => {
    const w = world([]).account("ops", { guarantee: 2 });
    w.submit("thrifty", "ops", { max_price: 2 });
    w.submit("rich", "ops", { max_price: 3 });
    w.run("thrifty").run("rich");
    const { path, terms } = w.state.accountByPath.get("ops")!;
    const edit = (gpus: number) => {
      const quota = { ...terms.quota, guarantee: { "*": gpus * unitsPerGpu } };
      return w.must({ kind: "account.edit", path, terms: { ...terms, quota } });
    };
    const stopping = (events: Event[]) =>
      events.flatMap((event) => (event.kind === "lease-stopping" ? [[event.lease, event.cause, event.why]] : []));
    assert.deepEqual(stopping(edit(1)), []); // the younger job has lost its cover, and pays
    const [lease] = w.state.jobById.get(jobId("thrifty"))!.leases;
    const why = "an hour of H100 costs 3.00 EUR beyond the guarantee, and its max_price is 2.00 EUR";
    assert.deepEqual(stopping(edit(0)), [[lease!.id, "budget", why]]);
    w.exit("thrifty", 1);
    assert.deepEqual([w.stateOf("thrifty"), reasonOf(w, "thrifty").kind], ["waiting", "price"]);
    assert.equal(w.stateOf("rich"), "running");
  });

  it("makes a job wait until the shell has foretold prices, which a snapshot keeps", () => {
    const w = world();
    w.submit("floor", "lab");
    w.submit("thrifty", "lab", { max_price: 3 });
    const reason = reasonOf(w, "thrifty");
    assert.ok(reason.kind === "price" && reason.values.hourMicros === undefined);
    foresee(w);
    assert.equal(w.stateOf("thrifty"), "starting");
    const text = writeSnapshot(w.state);
    assert.equal(writeSnapshot(readSnapshot(text)), text);
    const again = new World(readSnapshot(text));
    again.now = w.now;
    again.submit("late", "lab", { max_price: 1.5 });
    again.tick(2 * hour - again.now);
    assert.equal(again.stateOf("late"), "starting");
  });

  it("takes no seat for a job that could not pay for it, nor for one whose budget is spent", () => {
    const claim = (raw: object, spent: boolean) => {
      const w = new World().nodes(["n", "H100:1"]).account("ops");
      w.must({ kind: "price.add", version: pricesOf({}) });
      w.submit("low", "ops", { priority: "low" });
      w.run("low");
      w.submit("high", "ops", { priority: "high", ...raw }); // `low` is still inside min_runtime
      assert.equal(w.stateOf("low"), "running");
      const limits = { limitMicros: "1", every: "month", alertsPerMille: [], stop: "refuse-new" } as const;
      w.must({ kind: "budget.set", budget: { account: "ops", currency: "EUR", ...limits } });
      const stop = spent ? "refuse-new" : "none";
      w.must({ kind: "budget.reach", account: "ops", stop, perMille: 1000, spentMicros: "2" });
      w.tick(hour);
      return w.stateOf("low");
    };
    assert.equal(claim({}, false), "stopping");
    assert.equal(claim({ max_price: 1 }, false), "running");
    assert.equal(claim({}, true), "running");
  });
});
