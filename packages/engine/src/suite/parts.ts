import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { migModelOf, type PartMode, type PartSeat, unitsPerGpu } from "@tessera/core";
import { type OpenHarness, withEngine } from "./harness.ts";
import type { Session } from "./session.ts";

const modes: readonly PartMode[] = ["mig", "mps", "timeslice"];

export function describeParts(open: OpenHarness): void {
  describe("parts of a GPU", () => {
    for (const mode of modes) {
      it(
        `by ${mode} run beside each other on one GPU, each with what it holds and what enforces that`,
        withEngine(open, async (session, t) => {
          const parts = partsOf(session, mode);
          if (parts === undefined) return t.skip(`this engine does not share its first GPU by ${mode}`);
          const devices: string[][] = [];
          for (const part of parts) {
            const lease = await session.start(session.orderOf(session.commands.runForever, { part }));
            const prepared = session.reports(lease).find(({ what }) => what.kind === "prepared")?.what;
            assert.ok(prepared?.kind === "prepared" && prepared.devices !== undefined, "it says which device it has");
            assert.equal(prepared.devices.length, 1);
            for (const limit of ["gpu-compute", "gpu-memory"])
              assert.notEqual(prepared.enforcement[limit] ?? "", "", `it says what holds ${limit}`);
            devices.push([...prepared.devices]);
          }
          const [one, other] = devices.flat();
          if (mode === "mig") assert.match(one!, /^MIG-/);
          assert.equal(one === other, mode !== "mig", "an instance is one's own, a GPU that is not cut is the same");
          for (const { lease, state } of await session.engine.list()) assert.equal(state, "running", lease);
        }),
      );

      it(
        `by ${mode} tell how the GPU was cut for them, and are named in the environment`,
        withEngine(open, async (session, t) => {
          const [part] = partsOf(session, mode) ?? [];
          if (part === undefined) return t.skip(`this engine does not share its first GPU by ${mode}`);
          const { printVariable, succeed } = session.commands;
          const names = ["CUDA_VISIBLE_DEVICES", "TESS_GPU_MODE", "TESS_GPU_SHARE", "TESS_GPU_MEMORY_SHARE"];
          const plain = session.orderOf(printVariable === undefined ? succeed : names.map(printVariable).join("; "), {
            part,
          });
          const order = { ...plain, reshape: { gpuUuids: plain.gpuUuids, to: mode, usualMs: 1 } };
          assert.equal((await session.runToEnd(order)).code, 0);
          assert.deepEqual(session.kinds(order.lease), ["reshaped", "prepared", "started", "exited"]);
          if (printVariable === undefined) return;
          const prepared = await session.until(order.lease, "prepared");
          const share = (units: number) => String(units / unitsPerGpu);
          assert.deepEqual(await session.printed(order.lease), [
            prepared.devices?.join(","),
            mode,
            share(part.compute),
            share(part.memory),
          ]);
        }),
      );
    }
  });
}

/** Two parts that fit beside each other on the first GPU; undefined where it cannot be shared like that. */
export function partsOf({ engine, node }: Session, mode: PartMode): PartSeat[] | undefined {
  if (!engine.capabilities.isolation.includes(mode)) return undefined;
  const quarter = unitsPerGpu / 4;
  if (mode !== "mig") return [0, 1].map(() => ({ mode, compute: quarter, memory: quarter }));
  const gpu = node.gpus[0];
  const profile = gpu && migModelOf(gpu.model, gpu.memoryMiB)?.profiles.find(({ plain }) => plain);
  if (profile === undefined) return undefined;
  const { name, compute, memory, starts } = profile;
  return starts.slice(0, 2).map((slot) => ({ mode, compute, memory, slot, profile: name }));
}
