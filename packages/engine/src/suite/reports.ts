import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type OpenHarness, withEngine } from "./harness.ts";

export function describeReports(open: OpenHarness): void {
  describe("reports", () => {
    it(
      "[S20] repeats after a restart what was not acknowledged, in order, and nothing else",
      withEngine(open, async (session) => {
        const order = session.orderOf(session.commands.succeed);
        await session.runToEnd(order);
        await session.reopen();
        await session.untilTrue("all are repeated", () => session.arrived(order.lease).length === 3);
        assert.deepEqual(session.arrived(order.lease), [1, 2, 3]);
        await session.engine.acknowledge(order.lease, 2);
        await session.reopen();
        await session.untilTrue("the last is repeated", () => session.arrived(order.lease).length > 0);
        await session.quiet();
        assert.deepEqual(session.arrived(order.lease), [3]);
      }),
    );

    it(
      "says nothing more of a lease whose last report is acknowledged",
      withEngine(open, async (session) => {
        const order = session.orderOf(session.commands.succeed);
        await session.runToEnd(order);
        await session.acknowledgeAll(order.lease);
        await session.acknowledgeAll(order.lease);
        await session.reopen();
        await session.quiet();
        assert.deepEqual(session.arrived(order.lease), []);
      }),
    );

    it(
      "goes on with the next number after a restart in the middle",
      withEngine(open, async (session) => {
        const lease = await session.start(session.orderOf(session.commands.runForever));
        await session.acknowledgeAll(lease);
        await session.reopen();
        await session.engine.stop(lease, { signal: "SIGTERM", graceMs: 20_000 });
        await session.until(lease, "exited");
        assert.deepEqual(session.arrived(lease), [3]);
      }),
    );

    it(
      "lists every lease that is not forgotten, also one that is gone but not acknowledged",
      withEngine(open, async (session) => {
        const { succeed, runForever } = session.commands;
        const held = await session.hold(session.orderOf(succeed, { gpuUuids: [] }));
        const running = await session.start(session.orderOf(runForever, { gpuUuids: [] }));
        const ended = session.orderOf(succeed, { gpuUuids: [] });
        await session.runToEnd(ended);
        for (const restarted of [false, true]) {
          if (restarted) await session.reopen();
          assert.deepEqual(await session.listed(held), { lease: held, state: "held", sequence: 1 });
          assert.deepEqual(await session.listed(running), { lease: running, state: "running", sequence: 2 });
          assert.deepEqual(await session.listed(ended.lease), { lease: ended.lease, state: "gone", sequence: 3 });
        }
        await session.acknowledgeAll(ended.lease);
        const after = await session.listed(ended.lease);
        assert.ok(after === undefined || after.state === "gone");
      }),
    );
  });
}
