import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JobId, minute, plainTerms } from "@tessera/core";
import type { TelemetryRow } from "@tessera/telemetry";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { IdleWatch } from "./idle-watch.ts";

const start = 1_800_000_000_000;
const everyMs = 10_000;

/** The activity of a GPU of the job; `nothing` = there is no sample of it. */
type Measure = (gpu: number) => number | undefined | "nothing";

async function begin(gpus = 2) {
  const control = await TestControl.start();
  control.setTime(start);
  await control.must({ kind: "node.register", nodes: fleetOf(1, 8) });
  const tenancy = new Tenancy(control);
  await tenancy.account("lab", { ...plainTerms, idle: { do: "suspend", forMs: 30 * minute, gpuBelow: 500 } });
  const ada = await tenancy.user("ada", "member", "lab");
  const job = await tenancy.job("lab", ada.id, { gpus });
  await control.run(job);
  const events: string[] = [];
  control.follow({
    before: (event) => {
      events.push(event.kind);
    },
  });
  const watch = new IdleWatch(control, assert.fail);
  const live = (id: JobId = job) => control.state.jobById.get(id)!;
  let at = start;
  /** Samples of all its GPUs, every ten seconds, for some time. */
  const pass = async (ms: number, smActive: Measure = () => 20) => {
    for (const end = at + ms; at < end; ) {
      at += everyMs;
      control.setTime(at);
      await watch.see(rows(smActive));
    }
  };
  const rows = (smActive: Measure): TelemetryRow[] =>
    live().leases.flatMap((lease) =>
      lease.gpus.flatMap((gpu, i): TelemetryRow[] => {
        const active = smActive(i);
        const row = {
          ...{ at, spanMs: everyMs, node: "test/n1", gpu: `GPU-${gpu}`, model: "H100", share: 21_000 },
          ...{ source: "nvml" as const, job, lease: lease.id, rank: lease.rank },
        };
        if (active === "nothing") return [];
        return [{ ...row, metrics: active === undefined ? {} : { smActive: active } }];
      }),
    );
  const silence = (ms: number) => {
    at += ms;
  };
  return { control, pass, silence, live, events, watch };
}

describe("the watch on idle jobs", () => {
  it("[L4] warns ten minutes before, then suspends, once each", async () => {
    const { pass, live, events, watch } = await begin();
    await pass(20 * minute - everyMs);
    assert.deepEqual(events, []);
    assert.equal(watch.warningOf(live()), undefined);
    await pass(everyMs);
    assert.deepEqual(events, ["job-idle"]);
    assert.deepEqual(watch.warningOf(live()), {
      ...{ since: start, activity: 20, below: 500, does: "suspend", actsAt: start + 30 * minute },
    });
    await pass(10 * minute - everyMs);
    assert.deepEqual(events, ["job-idle"], "one warning is enough");
    await pass(everyMs);
    assert.deepEqual(events, ["job-idle", "job-held", "lease-stopping"]);
    assert.equal(watch.warningOf(live()), undefined, "it is being stopped: there is nothing left to warn of");
    assert.match(live().stopWhy ?? "", /below 5% for 30m \(measured at most 0.2%\)/);
    await pass(minute);
    assert.equal(events.length, 3);
  });

  it("[L4] one GPU that is active keeps the whole job, and begins its time again", async () => {
    const { pass, events } = await begin();
    await pass(15 * minute);
    await pass(everyMs, (gpu) => (gpu === 1 ? 500 : 0));
    await pass(20 * minute - everyMs);
    assert.deepEqual(events, []);
    await pass(everyMs);
    assert.deepEqual(events, ["job-idle"]);
  });

  it("[S35] what was not measured is not idle: a GPU without a value, a silence, a GPU without a sample", async () => {
    for (const gap of ["no value", "silence", "no sample"] as const) {
      const { pass, silence, events } = await begin();
      await pass(19 * minute);
      if (gap === "no value") await pass(everyMs, (gpu) => (gpu === 1 ? undefined : 0));
      if (gap === "silence") silence(2 * minute);
      if (gap === "no sample") await pass(everyMs, (gpu) => (gpu === 1 ? "nothing" : 0));
      await pass(19 * minute);
      assert.deepEqual(events, [], gap);
      await pass(minute);
      assert.deepEqual(events, ["job-idle"], gap);
    }
  });

  it("[L4] takes a warning back as soon as the job works again", async () => {
    const { pass, live, watch } = await begin();
    await pass(25 * minute);
    assert.equal(watch.warningOf(live())?.does, "suspend");
    await pass(everyMs, () => 9_000);
    assert.equal(watch.warningOf(live()), undefined);
  });
});
