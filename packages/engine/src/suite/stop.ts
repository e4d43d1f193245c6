import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ReportWhat } from "@tessera/core";
import { type OpenHarness, withEngine } from "./harness.ts";
import { plainStop } from "./session.ts";

type Exited = Extract<ReportWhat, { kind: "exited" }>;

export function describeStop(open: OpenHarness): void {
  describe("stop", () => {
    it(
      "[S22] remembers a stop that comes before the bind, so that the bind cannot start it",
      withEngine(open, async (session) => {
        const order = session.orderOf(session.commands.print("ran"));
        await session.engine.stop(order.lease, plainStop);
        assert.equal((await session.until(order.lease, "exited")).ran, false);
        await session.engine.bind(order);
        await session.engine.release(order.lease);
        await session.quiet();
        assert.deepEqual(session.kinds(order.lease), ["exited"]);
        assert.deepEqual(await session.printed(order.lease), []);
        await session.reopen();
        await session.engine.bind(order);
        await session.quiet();
        assert.deepEqual(session.kinds(order.lease), ["exited"]);
      }),
    );

    it(
      "[S22] lets go of a held member without having run it, and a release that comes later does nothing",
      withEngine(open, async (session) => {
        const lease = await session.hold(session.orderOf(session.commands.print("ran")));
        await session.engine.stop(lease, plainStop);
        assert.equal((await session.until(lease, "exited")).ran, false);
        await session.engine.release(lease);
        await session.quiet();
        assert.deepEqual(session.kinds(lease), ["prepared", "exited"]);
        assert.deepEqual(await session.printed(lease), []);
      }),
    );

    it(
      "ends a running member with the signal it asks for",
      withEngine(open, async (session) => {
        const lease = await session.start(session.orderOf(session.commands.runForever));
        await session.engine.stop(lease, plainStop);
        const end = await session.until(lease, "exited");
        assert.equal(end.ran, true);
        assert.equal(end.limit, undefined);
        assert.ok(endedBy(end, "SIGTERM", 143), `ended otherwise: ${JSON.stringify(end)}`);
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "exited"]);
      }),
    );

    it(
      "leaves the whole grace to a child of the command that handles the signal",
      withEngine(open, async (session, t) => {
        if (session.lacks(t, "print")) return;
        const { print, saveInChild } = session.commands;
        const lease = await session.start(session.orderOf(`${print("up")}; ${saveInChild("saved")}`));
        await session.untilTrue("it has begun", async () => (await session.printed(lease)).length > 0);
        await session.quiet(); // from the line to its handling the signal is a moment of its own
        await session.engine.stop(lease, plainStop);
        await session.until(lease, "exited");
        assert.deepEqual(await session.printed(lease), ["up", "saved"]);
      }),
    );

    it(
      "waits out the grace of a member that does not listen, then ends it for sure",
      withEngine(open, async (session) => {
        const { print, ignoreTerm } = session.commands;
        const lease = await session.start(session.orderOf(`${print("deaf")}; ${ignoreTerm}`));
        await session.untilTrue("it has begun", async () => (await session.printed(lease)).length > 0);
        await session.quiet(); // from the line to its ignoring the signal is a moment of its own
        await session.engine.stop(lease, { signal: "SIGTERM", graceMs: 3_000 });
        await session.untilTrue("it is stopping", async () => (await session.listed(lease))?.state === "stopping");
        assert.deepEqual(session.kinds(lease), ["prepared", "started"]);
        const end = await session.until(lease, "exited");
        assert.equal(end.ran, true);
        assert.ok(endedBy(end, "SIGKILL", 137), `ended otherwise: ${JSON.stringify(end)}`);
      }),
    );

    it(
      "[L1] says of a member that was stopped whether it had written the done file",
      withEngine(open, async (session, t) => {
        if (session.lacks(t, "be done")) return;
        const { print, beDone, runForever } = session.commands;
        for (const [command, done] of [
          [`${beDone}; ${print("ready")}; ${runForever}`, true],
          [`${print("ready")}; ${runForever}`, undefined],
        ] as const) {
          const lease = await session.start(session.orderOf(command));
          await session.untilTrue("it has begun", async () => (await session.printed(lease)).length > 0);
          await session.engine.stop(lease, plainStop);
          assert.equal((await session.until(lease, "exited")).done, done);
        }
      }),
    );

    it(
      "stops once, however often it is asked",
      withEngine(open, async (session) => {
        const lease = await session.start(session.orderOf(session.commands.runForever));
        await Promise.all([session.engine.stop(lease, plainStop), session.engine.stop(lease, plainStop)]);
        await session.until(lease, "exited");
        await session.engine.stop(lease, plainStop);
        await session.quiet();
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "exited"]);
      }),
    );

    it(
      "[S21] leaves the end of a member as it was when the stop comes too late",
      withEngine(open, async (session) => {
        const order = session.orderOf(session.commands.exitWith(3));
        await session.runToEnd(order);
        await session.engine.stop(order.lease, plainStop);
        await session.acknowledgeAll(order.lease);
        await session.engine.stop(order.lease, plainStop);
        await session.quiet();
        assert.deepEqual(session.kinds(order.lease), ["prepared", "started", "exited"]);
        assert.equal((await session.until(order.lease, "exited")).code, 3);
      }),
    );
  });
}

/** A shell in between turns a signal into a code. */
function endedBy(end: Exited, signal: string, code: number): boolean {
  return end.signal === signal || end.code === code;
}
