import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import type { GpuMetrics } from "../telemetry.ts";
import { type OpenHarness, withEngine } from "./harness.ts";
import { partsOf } from "./parts.ts";

const wholeNumbers: readonly (keyof GpuMetrics)[] = [
  "memoryUsedMiB",
  "memoryReservedMiB",
  "powerMilliwatts",
  "energyMillijoules",
  "temperatureCelsius",
  "smClockMhz",
  "memoryClockMhz",
  "throttleReasons",
  "pcieSent",
  "pcieReceived",
  "nvlinkSent",
  "nvlinkReceived",
];
const shares: readonly (keyof GpuMetrics)[] = ["smActive", "tensorActive", "memoryActive", "encoderActive"];

export function describeTelemetry(open: OpenHarness): void {
  describe("telemetry", () => {
    it(
      "names the leases that hold each GPU, as long as they do and no others",
      withEngine(open, async (session, t) => {
        if (session.engine.telemetry === undefined) return t.skip("this engine cannot be watched");
        const [one, other] = session.node.gpus;
        assert.ok(one !== undefined && other !== undefined, "the harness must have two GPUs on its first node");
        const { runForever } = session.commands;
        const first = session.orderOf(runForever, { gpuUuids: [one.uuid] });
        const second = session.orderOf(runForever, { gpuUuids: [other.uuid] });
        for (const order of [first, second]) await session.start(order);
        const leasesOf = async (uuid: string) => {
          const { gpus } = await session.engine.telemetry!();
          return new Set(gpus.filter(({ gpuUuid }) => gpuUuid === uuid).flatMap(({ leases }) => leases));
        };
        assert.deepEqual(await leasesOf(one.uuid), new Set([first.lease]));
        assert.deepEqual(await leasesOf(other.uuid), new Set([second.lease]));
        await session.engine.stop(first.lease, { signal: "SIGKILL", graceMs: 0 });
        await session.until(first.lease, "exited");
        assert.deepEqual(await leasesOf(one.uuid), new Set());
        assert.deepEqual(await leasesOf(other.uuid), new Set([second.lease]));
      }),
    );

    it(
      "names the lease of each instance of a GPU that is cut",
      withEngine(open, async (session, t) => {
        const parts = partsOf(session, "mig");
        if (session.engine.telemetry === undefined || parts === undefined) return t.skip("no GPU is cut here");
        const expected = new Map<string, LeaseId>();
        for (const part of parts) {
          const lease = await session.start(session.orderOf(session.commands.runForever, { part }));
          const { devices = [] } = await session.until(lease, "prepared");
          for (const device of devices) expected.set(device, lease);
        }
        const { gpus } = await session.engine.telemetry();
        const [whole] = gpus.filter(({ instance, leases }) => instance === undefined && leases.length > 0);
        assert.deepEqual(new Set(whole?.leases), new Set(expected.values()));
        assert.equal(whole?.metrics.smActive, undefined, "what a GPU does that is cut, its instances tell");
        const instances = gpus.flatMap(({ instance, leases }) => (instance === undefined ? [] : [[instance, leases]]));
        assert.deepEqual(instances.sort(), [...expected].map(([device, lease]) => [device, [lease]]).sort());
      }),
    );

    it(
      "tells values that can be, of GPUs that are there and members that run",
      withEngine(open, async (session, t) => {
        if (session.engine.telemetry === undefined) return t.skip("this engine cannot be watched");
        const lease = await session.start(session.orderOf(session.commands.runForever));
        await session.engine.telemetry();
        await session.quiet();
        const { gpus, members } = await session.engine.telemetry();
        const nodes = await session.engine.inventory();
        for (const { node, gpuUuid, metrics, source } of gpus) {
          const found = nodes.find(({ name }) => name === node)?.gpus.some(({ uuid }) => uuid === gpuUuid);
          assert.ok(found, `${gpuUuid} is not on ${node}`);
          if (source === "virtual") assert.deepEqual(metrics, {}, "there is nothing to measure on a virtual GPU");
          for (const name of [...wholeNumbers, ...shares]) {
            const value = metrics[name];
            const isRight = value === undefined || (Number.isSafeInteger(value) && value >= 0);
            assert.ok(isRight, `${gpuUuid}: ${name} is ${value}`);
          }
          for (const name of shares) assert.ok((metrics[name] ?? 0) <= 10_000, `${gpuUuid}: ${name} is above all`);
        }
        assert.equal(new Set(gpus.map(({ gpuUuid, instance }) => `${gpuUuid} ${instance}`)).size, gpus.length);
        for (const { lease: _, at, ...values } of members) {
          for (const value of [at, ...Object.values(values)]) assert.ok(Number.isSafeInteger(value) && value >= 0);
        }
        assert.deepEqual(
          members.map((member) => member.lease).filter((each) => each !== lease),
          [],
        );
      }),
    );
  });
}
