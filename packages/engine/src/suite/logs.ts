import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import { type OpenHarness, withEngine } from "./harness.ts";

export function describeLogs(open: OpenHarness): void {
  describe("logs", () => {
    it(
      "keeps what a member printed after its end, its acknowledgement and a restart",
      withEngine(open, async (session, t) => {
        if (session.lacks(t, "print")) return;
        const { print } = session.commands;
        const order = session.orderOf(`${print("one")}; ${print("two")}`, { rank: 0 });
        await session.runToEnd(order);
        const [one, two] = (await session.logs(order.lease)).filter((line) => line.stream === "stdout");
        assert.deepEqual([one?.text, two?.text], ["one", "two"]);
        assert.equal(one?.rank, 0);
        assert.ok(Number.isSafeInteger(one.at) && one.at <= two!.at);
        await session.acknowledgeAll(order.lease);
        await session.reopen();
        assert.deepEqual(await session.printed(order.lease), ["one", "two"]);
      }),
    );

    it(
      "gives the last lines alone when asked",
      withEngine(open, async (session, t) => {
        if (session.lacks(t, "print")) return;
        const { print } = session.commands;
        const order = session.orderOf(`${print("one")}; ${print("two")}; ${print("three")}`);
        await session.runToEnd(order);
        const all = await session.logs(order.lease);
        assert.deepEqual(await session.logs(order.lease, { tail: 2 }), all.slice(-2));
      }),
    );

    it(
      "follows a running member to its end",
      withEngine(open, async (session, t) => {
        if (session.lacks(t, "print")) return;
        const { print, sleepMs } = session.commands;
        const lease = await session.start(session.orderOf(`${print("one")}; ${sleepMs(500)}; ${print("two")}`));
        const followed = session.logs(lease, { follow: true });
        await session.until(lease, "exited");
        const texts = (await followed).filter((line) => line.stream === "stdout").map((line) => line.text);
        assert.deepEqual(texts, ["one", "two"]);
      }),
    );

    it(
      "stops following when nobody listens any more",
      withEngine(open, async (session, t) => {
        if (session.lacks(t, "print")) return;
        const lease = await session.start(session.orderOf(session.commands.runForever));
        const listener = new AbortController();
        const followed = session.logs(lease, { follow: true, signal: listener.signal });
        await session.quiet();
        listener.abort();
        await followed;
        assert.equal((await session.listed(lease))?.state, "running");
      }),
    );

    it(
      "has nothing of a lease it never saw",
      withEngine(open, async (session) => {
        assert.deepEqual(await session.logs("job_stranger-1-0" as LeaseId), []);
      }),
    );
  });
}
