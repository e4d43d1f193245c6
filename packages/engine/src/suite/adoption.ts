import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type OpenHarness, withEngine } from "./harness.ts";

export function describeAdoption(open: OpenHarness): void {
  describe("after a crash of the control plane", () => {
    it(
      "[S16] [S17] finds a running member again, runs it on and can stop it",
      withEngine(open, async (session) => {
        const { print, runForever } = session.commands;
        const order = session.orderOf(`${print("ran")}; ${runForever}`);
        const lease = await session.start(order);
        await session.untilTrue("it has begun", async () => (await session.printed(lease)).length > 0);
        await session.reopen();
        assert.equal((await session.listed(lease))?.state, "running");
        await session.engine.bind(order);
        await session.engine.release(lease);
        await session.quiet();
        assert.deepEqual(await session.printed(lease), ["ran"]);
        await session.engine.stop(lease, { signal: "SIGTERM", graceMs: 20_000 });
        await session.until(lease, "exited");
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "exited"]);
      }),
    );

    it(
      "loses no exit code and no output of a member that ended meanwhile",
      withEngine(open, async (session) => {
        const { print, sleepMs, exitWith } = session.commands;
        const lease = await session.start(session.orderOf(`${sleepMs(300)}; ${print("late")}; ${exitWith(5)}`));
        await session.engine.close();
        await session.settle(1_500);
        await session.reopen();
        assert.equal((await session.until(lease, "exited")).code, 5);
        assert.deepEqual(await session.printed(lease), ["late"]);
      }),
    );

    it(
      "sees the end of a member that ends after the restart",
      withEngine(open, async (session) => {
        const { sleepMs, exitWith } = session.commands;
        const lease = await session.start(session.orderOf(`${sleepMs(1_000)}; ${exitWith(6)}`));
        await session.reopen();
        assert.equal((await session.until(lease, "exited")).code, 6);
      }),
    );

    it(
      "still holds a member that was held, and lets it go when told",
      withEngine(open, async (session) => {
        const lease = await session.hold(session.orderOf(session.commands.print("ran")));
        await session.reopen();
        await session.quiet();
        assert.equal((await session.listed(lease))?.state, "held");
        assert.deepEqual(await session.printed(lease), []);
        await session.engine.release(lease);
        await session.until(lease, "exited");
        assert.deepEqual(await session.printed(lease), ["ran"]);
      }),
    );

    it(
      "goes on with a stop that was under way",
      withEngine(open, async (session) => {
        const { print, ignoreTerm } = session.commands;
        const lease = await session.start(session.orderOf(`${print("deaf")}; ${ignoreTerm}`));
        await session.untilTrue("it has begun", async () => (await session.printed(lease)).length > 0);
        await session.quiet();
        await session.engine.stop(lease, { signal: "SIGTERM", graceMs: 1_000 });
        await session.reopen();
        await session.until(lease, "exited");
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "exited"]);
      }),
    );
  });
}
