import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JobType, type LeaseId, unitsPerGpu } from "@tessera/core";
import { declareNodes } from "../nodes.ts";
import { type Hold, SimulatedTelemetry } from "./telemetry.ts";
import { activityOf, workOf } from "./work.ts";

const hour = 3_600_000;
const nodes = declareNodes({ count: 1, gpusEach: 2, model: "H100", gpuMemoryMiB: 81_559 });
const [one, other] = nodes[0]!.gpus.map(({ uuid }) => uuid) as [string, string];

const hold = (job: string, more: Partial<Hold> = {}): Hold => ({
  ...{ lease: `${job}-1-0` as LeaseId, job, size: 1, gpuUuids: [one] },
  ...{ limits: { cpusMilli: 8_000, memoryMiB: 65_536 }, startedAt: 0 },
  ...more,
});

/** The mean activity of many jobs of a kind at an hour of a later day. */
function mean(type: JobType, at: number): number {
  const works = Array.from({ length: 400 }, (_, i) => workOf({ ...hold(`job_${i}`), type, startedAt: 0, gpus: 1 }));
  return works.reduce((sum, work) => sum + activityOf(work, at), 0) / works.length;
}

describe("simulated loads", () => {
  it("differ by the kind of work: training is busy, notebooks are mostly idle, services follow the day", () => {
    const [night, noon] = [48 * hour + 2 * hour, 48 * hour + 13 * hour];
    assert.ok(mean("train", noon) > 0.75);
    assert.ok(mean("batch", noon) > 0.5);
    assert.ok(mean("service", noon) > 1.5 * mean("service", night));
    assert.ok(mean("notebook", noon) < 0.2);
    assert.equal(mean("notebook", night), 0);
  });

  it("have jobs that only hold their GPUs, and training that stops to save", () => {
    const works = Array.from({ length: 400 }, (_, i) =>
      workOf({ ...hold(`job_${i}`), type: "train", startedAt: 0, gpus: 1 }),
    );
    const idle = works.filter((work) => activityOf(work, 2 * hour) === 0);
    assert.ok(idle.length > 8 && idle.length < 60, `${idle.length} of 400 are idle`);
    const busy = works.find((work) => !work.idle)!;
    const minutes = Array.from({ length: 360 }, (_, i) => activityOf(busy, hour + i * 10_000));
    assert.ok(minutes.some((level) => level < 0.05) && minutes.some((level) => level > 0.8));
  });

  it("are the same for the same fleet and the same times", async () => {
    const read = async () => {
      const telemetry = new SimulatedTelemetry();
      await telemetry.read(nodes, [hold("job_a")], hour);
      return telemetry.read(nodes, [hold("job_a")], hour + 5_000);
    };
    assert.deepEqual(await read(), await read());
  });

  it("draw power by what they do, and energy is that power over time", async () => {
    const telemetry = new SimulatedTelemetry();
    const busyJob = ["job_a", "job_b", "job_c"].find(
      (job) => !workOf({ ...hold(job), type: "train", startedAt: 0, gpus: 1 }).idle,
    )!;
    const holds = [hold(busyJob, { type: "train" })];
    let [busyJoules, idleJoules] = [0, 0];
    let first: readonly [number, number] | undefined;
    for (let at = hour; at <= hour + 600_000; at += 5_000) {
      const { gpus } = await telemetry.read(nodes, holds, at);
      const [busy, idle] = [gpus[0]!.metrics, gpus[1]!.metrics];
      assert.deepEqual([idle.smActive, idle.throttleReasons, idle.smClockMhz], [0, 1, 345]);
      assert.ok(busy.powerMilliwatts! <= 700_000 && busy.memoryUsedMiB! <= 81_559);
      if (first === undefined) first = [busy.energyMillijoules!, idle.energyMillijoules!];
      else [busyJoules, idleJoules] = [busyJoules + busy.powerMilliwatts! * 5, idleJoules + idle.powerMilliwatts! * 5];
      const grown = [busy.energyMillijoules! - first[0], idle.energyMillijoules! - first[1]] as const;
      assert.ok(Math.abs(grown[0] - busyJoules) <= 2 && Math.abs(grown[1] - idleJoules) <= 2);
    }
    assert.ok(busyJoules > 3 * idleJoules);
  });

  it("show instances apart from the GPU, which tells only what they have in common", async () => {
    const part = (slot: number, compute: number) => ({
      ...({ mode: "mig", slot, profile: "3g.40gb", memory: unitsPerGpu / 2 } as const),
      compute: (compute * unitsPerGpu) / 7,
    });
    const holds = [hold("job_a", { part: part(0, 3) }), hold("job_b", { part: part(4, 3) })];
    const { gpus } = await new SimulatedTelemetry().read(nodes, holds, hour);
    const [whole, first, second, free] = gpus;
    assert.deepEqual(whole!.leases, ["job_a-1-0", "job_b-1-0"]);
    assert.equal(whole!.metrics.smActive, undefined);
    assert.ok(whole!.metrics.powerMilliwatts! > 0);
    assert.deepEqual([first!.instance, first!.leases], [`${one.replace("GPU", "MIG")}-0`, ["job_a-1-0"]]);
    assert.deepEqual([second!.instance, second!.leases], [`${one.replace("GPU", "MIG")}-4`, ["job_b-1-0"]]);
    assert.notEqual(first!.metrics.smActive, undefined);
    assert.deepEqual([free!.gpuUuid, free!.leases], [other, []]);
  });
});
