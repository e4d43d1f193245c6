import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseOrder } from "../port.ts";
import { type OpenHarness, withEngine } from "./harness.ts";
import type { Session } from "./session.ts";

const runMsMax = 500;

export function describeTimeLimit(open: OpenHarness): void {
  describe("time limit", () => {
    const limited = (session: Session, run: string, graceMs = 20_000, limitMs = runMsMax): LeaseOrder => {
      const order = session.orderOf(run);
      return { ...order, limits: { ...order.limits, runMsMax: limitMs }, stop: { signal: "SIGTERM", graceMs } };
    };

    it(
      "stops a member that runs past its limit, and says so",
      withEngine(open, async (session) => {
        const order = limited(session, session.commands.runForever);
        const end = await session.runToEnd(order);
        assert.equal(end.ran, true);
        assert.equal(end.limit, "time");
        assert.deepEqual(session.kinds(order.lease), ["prepared", "started", "stopping", "exited"]);
        assert.deepEqual((await session.until(order.lease, "stopping")).cause, "time-limit");
        const [, started, stopping] = session.reports(order.lease);
        assert.ok(stopping!.at - started!.at >= runMsMax, "it was given less than its time");
      }),
    );

    it(
      "ends for sure what does not listen at its limit either",
      withEngine(open, async (session) => {
        const end = await session.runToEnd(limited(session, session.commands.ignoreTerm, 300));
        assert.equal(end.limit, "time");
      }),
    );

    it(
      "counts from the start, not from the bind",
      withEngine(open, async (session) => {
        // Long enough for a busy machine to run the shortest command in time.
        const limitMs = 3_000;
        const lease = await session.hold(limited(session, session.commands.succeed, 20_000, limitMs));
        await session.settle(limitMs + 200);
        assert.deepEqual(session.kinds(lease), ["prepared"]);
        await session.engine.release(lease);
        assert.equal((await session.until(lease, "exited")).code, 0);
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "exited"]);
      }),
    );

    it(
      "keeps to the limit while no control plane is there",
      withEngine(open, async (session) => {
        const lease = await session.start(limited(session, session.commands.runForever));
        await session.engine.close();
        await session.settle(runMsMax * 3);
        await session.reopen();
        assert.equal((await session.until(lease, "exited")).limit, "time");
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "stopping", "exited"]);
      }),
    );
  });
}
