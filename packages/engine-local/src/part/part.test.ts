import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { JobId, LeaseId, PartSeat } from "@tessera/core";
import { takeClaim } from "../lease/folder.ts";
import { findProcess } from "../supervise/processes.ts";
import { type FakeMachine, fakeDriver } from "../testing/driver.ts";
import { preparePart, releasePart } from "./part.ts";
import { ScrubFailed } from "./scrub.ts";
import type { PartGround, PartOrder } from "./take.ts";

interface Site {
  readonly machine: FakeMachine;
  readonly gpu: string;
  readonly ground: PartGround;
  readonly looks: string[];
  /** An order of a lease whose supervisor is this process. */
  order(lease: string, part?: readonly [profile: string, slot: number], more?: Partial<PartOrder>): Promise<PartOrder>;
  layout(): string[];
}

async function siteOf(t: TestContext): Promise<Site> {
  const machine = await fakeDriver(t);
  const folder = await mkdtemp(join(tmpdir(), "tessera-part-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const leases = join(folder, "leases");
  const gpu = machine.gpus[0]!.uuid;
  const looks: string[] = [];
  const scrubber = {
    plant: async (_: string, device: string) => void looks.push(`mark ${device}`),
    look: async (_: string, device: string) => {
      looks.push(device);
      return "looked";
    },
  };
  const ground = {
    smi: machine.smi,
    folder: join(folder, "gpus"),
    leases,
    bootId: "b1",
    gpuMinors: { [gpu]: 0 },
    scrubber,
    measureLoad: async () => "not tried",
    mps: { folder: join(folder, "gpus", "mps"), machine: { isRoot: false, means: "nothing" as const } },
  };
  return {
    machine,
    gpu,
    ground,
    looks,
    async order(lease, part, more = {}) {
      await mkdir(join(leases, lease), { recursive: true });
      const startedAt = findProcess(process.pid)!.startedAt;
      await takeClaim(join(leases, lease), { by: "supervisor", pid: process.pid, startedAt, bootId: "b1" });
      const seat: PartSeat | undefined =
        part === undefined ? undefined : { mode: "mig", compute: 1, memory: 1, profile: part[0], slot: part[1] };
      const about = { lease: lease as LeaseId, job: "job_a" as JobId, tenant: "acc_lab" };
      return { ...about, gpuUuids: [gpu], ...(seat && { part: seat }), ...more };
    },
    layout: () => machine.read().gpus[0]!.instances.map(({ profile, start }) => `${profile}:${start}`),
  };
}

it("cuts by the slots that the order names, each with a uuid and device nodes of its own, and gives them back", async (t) => {
  const { ground, order, layout, machine } = await siteOf(t);
  const orders = [await order("a", ["3g.71gb", 0]), await order("b", ["2g.35gb", 4]), await order("c", ["1g.18gb", 6])];
  const parts = await Promise.all(orders.map((each) => preparePart(each, ground)));
  assert.deepEqual(layout().sort(), ["1g.18gb:6", "2g.35gb:4", "3g.71gb:0"]);
  assert.equal(new Set(parts.flatMap(({ devices }) => devices)).size, 3);
  assert.ok(parts.every(({ devices }) => /^MIG-/.test(devices[0]!)));
  assert.deepEqual(
    parts.map(({ capabilities }) => capabilities),
    [
      [12, 13],
      [48, 49],
      [120, 121],
    ],
  );
  await releasePart(orders[1]!, ground);
  assert.deepEqual(layout().sort(), ["1g.18gb:6", "3g.71gb:0"]);
  await preparePart(await order("d", ["1g.18gb", 4]), ground);
  assert.deepEqual(layout().sort(), ["1g.18gb:4", "1g.18gb:6", "3g.71gb:0"]);
  assert.equal(machine.read().commands.filter((line) => line.includes("-mig 1")).length, 1);
});

it("switches MIG off for a whole GPU, only when no part of it is held", async (t) => {
  const { ground, order, machine, gpu, looks } = await siteOf(t);
  const part = await order("a", ["1g.18gb", 6]);
  await preparePart(part, ground);
  const whole = await order("w", undefined, {
    scrub: { gpuUuids: [gpu], usualMs: 1 },
    reshape: { gpuUuids: [gpu], to: "whole", usualMs: 1 },
  });
  await assert.rejects(preparePart(whole, ground), /in use in another way/);
  assert.equal(machine.read().gpus[0]!.mig, true);
  await releasePart(part, ground);
  const got = await preparePart(whole, ground);
  assert.deepEqual(got.devices, [gpu]);
  assert.equal(machine.read().gpus[0]!.mig, false);
  assert.match(got.scrubbed!, /instances were destroyed; looked/, "what lay in instances needs no reset");
  assert.deepEqual(looks, [gpu]);
  await assert.rejects(preparePart(await order("b", ["1g.18gb", 6]), ground), /in use in another way/);
});

it("undoes half of a cut, and the mode that was switched for it", async (t) => {
  const { ground, order, machine, layout } = await siteOf(t);
  machine.change((driver) => {
    driver.faults = { compute: true };
  });
  await assert.rejects(preparePart(await order("a", ["2g.35gb", 4]), ground), /2g.35gb cannot be made at slot 4/);
  assert.deepEqual(layout(), []);
  assert.equal(machine.read().gpus[0]!.mig, false);
  machine.change((driver) => {
    driver.faults = { pending: true };
  });
  await assert.rejects(preparePart(await order("b", ["2g.35gb", 4]), ground), /waits for a reset/);
});

it("clears away what a dead supervisor left, unless a process is still in it", async (t) => {
  const { ground, order, machine, layout, gpu } = await siteOf(t);
  await preparePart(await order("a", ["3g.71gb", 0]), ground);
  await rm(join(ground.leases, "a"), { recursive: true }); // no claim: its supervisor is gone
  machine.change((driver) => driver.processes.push({ pid: 4711, gpu, gi: 1, memoryMiB: 100, name: "python3" }));
  await assert.rejects(preparePart(await order("b", ["2g.35gb", 0]), ground), /In use by another client/);
  assert.deepEqual(layout(), ["3g.71gb:0"]);
  machine.change((driver) => driver.processes.splice(0));
  await preparePart(await order("b", ["2g.35gb", 0]), ground);
  assert.deepEqual(layout(), ["2g.35gb:0"]);
});

it("after a restart of the machine knows nothing of what was cut before", async (t) => {
  const { ground, order, machine, layout } = await siteOf(t);
  await preparePart(await order("a", ["3g.71gb", 0]), ground);
  machine.change((driver) => {
    driver.gpus[0]!.mig = false;
    driver.gpus[0]!.instances = [];
  });
  await preparePart(await order("b", ["4g.71gb", 0]), { ...ground, bootId: "b2" });
  assert.deepEqual(layout(), ["4g.71gb:0"]);
});

it("[S4] resets a GPU that another tenant had, and does not hand over one that cannot be reset", async (t) => {
  const { ground, order, machine, gpu, looks } = await siteOf(t);
  const scrub = { gpuUuids: [gpu], usualMs: 1 };
  const first = await order("a", undefined, { scrub });
  assert.equal((await preparePart(first, ground)).scrubbed, "reset by nvidia-smi; looked");
  assert.deepEqual(looks, [`mark ${gpu}`, gpu]);
  await releasePart(first, ground);
  machine.change((driver) => {
    driver.faults = { reset: "Insufficient Permissions" };
  });
  await assert.rejects(preparePart(await order("b", undefined, { scrub }), ground), (error) => {
    assert.ok(error instanceof ScrubFailed);
    assert.match(error.message, /could not be reset: Insufficient Permissions \(in a virtual machine/);
    return true;
  });
});

it("does not claim to have cleared or cut GPUs that are only declared", async (t) => {
  const { ground, order, gpu } = await siteOf(t);
  const scrub = { gpuUuids: [gpu], usualMs: 1 };
  const got = await preparePart(await order("a", undefined, { scrub }), { ...ground, gpuMinors: {} });
  assert.match(got.scrubbed!, /virtual/);
  assert.deepEqual(got.devices, [gpu]);
  assert.equal((await preparePart(await order("b"), { ...ground, gpuMinors: {} })).scrubbed, undefined);
});

it("[S4] marks the slots that another tenant had, makes the instance again, and looks for the mark", async (t) => {
  const { ground, order, machine, gpu, looks } = await siteOf(t);
  const scrub = { gpuUuids: [gpu], usualMs: 1 };
  const { devices, scrubbed } = await preparePart(await order("a", ["2g.35gb", 4], { scrub }), ground);
  assert.deepEqual(looks, [`mark ${devices[0]}`, devices[0]]);
  assert.match(scrubbed!, /^MIG instance of its own, made in \d+ ms; looked$/);
  const made = machine
    .read()
    .commands.filter((line) => /-cgi|-dgi/.test(line))
    .map((line) => line.split(" ")[1]);
  assert.deepEqual(made, ["-cgi", "-dgi", "-cgi"]);
});
