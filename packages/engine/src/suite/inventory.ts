import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type OpenHarness, withEngine } from "./harness.ts";

export function describeInventory(open: OpenHarness): void {
  describe("inventory", () => {
    it(
      "tells the whole fleet, the same each time and after a restart",
      withEngine(open, async (session) => {
        const first = await session.engine.inventory();
        assert.deepEqual(await session.engine.inventory(), first);
        await session.reopen();
        assert.deepEqual(await session.engine.inventory(), first);
      }),
    );

    it(
      "names every node and every GPU once",
      withEngine(open, async (session) => {
        const nodes = await session.engine.inventory();
        const names = nodes.map((node) => node.name);
        const uuids = nodes.flatMap((node) => node.gpus.map((gpu) => gpu.uuid));
        assert.equal(new Set(names).size, names.length);
        assert.equal(new Set(uuids).size, uuids.length);
      }),
    );

    it(
      "gives each node whole amounts, a place, a boot id and its engine's name",
      withEngine(open, async (session) => {
        for (const node of await session.engine.inventory()) {
          assert.equal(node.engine, session.engine.name);
          assert.notEqual(node.bootId, "");
          assert.notEqual(node.address, "");
          for (const level of Object.values(node.place)) assert.notEqual(level, "");
          for (const amount of [node.cpusMilli, node.memoryMiB, ...node.gpus.map((gpu) => gpu.memoryMiB)]) {
            assert.ok(Number.isSafeInteger(amount) && amount > 0, `${node.name}: ${amount} is not a whole amount`);
          }
        }
      }),
    );
  });
}
