import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EngineFenced } from "../port.ts";
import { type OpenHarness, withEngine } from "./harness.ts";
import { isFinal } from "./session.ts";

export function describeBind(open: OpenHarness): void {
  describe("bind and release", () => {
    it(
      "holds what it has prepared: nothing of the user runs before the release",
      withEngine(open, async (session) => {
        const lease = await session.hold(session.orderOf(session.commands.print("ran")));
        await session.quiet();
        assert.deepEqual(session.kinds(lease), ["prepared"]);
        assert.deepEqual(await session.listed(lease), { lease, state: "held", sequence: 1 });
        assert.deepEqual(await session.printed(lease), []);
      }),
    );

    it(
      "[S4] tells how GPUs were cleared that another tenant had, before it is ready",
      withEngine(open, async (session) => {
        const plain = session.orderOf(session.commands.succeed);
        const order = { ...plain, scrub: { gpuUuids: plain.gpuUuids, usualMs: 1 } };
        await session.runToEnd(order);
        assert.deepEqual(session.kinds(order.lease), ["scrubbed", "prepared", "started", "exited"]);
        const [{ what } = { what: undefined }] = session.reports(order.lease);
        assert.ok(what?.kind === "scrubbed" && what.how.length > 0);
      }),
    );

    it(
      "runs what is released and tells how it ended",
      withEngine(open, async (session) => {
        const well = session.orderOf(session.commands.succeed);
        const badly = session.orderOf(session.commands.exitWith(7));
        const [good, bad] = [await session.runToEnd(well), await session.runToEnd(badly)];
        assert.deepEqual([good.ran, good.code, bad.ran, bad.code], [true, 0, true, 7]);
        assert.deepEqual(session.kinds(well.lease), ["prepared", "started", "exited"]);
        assert.deepEqual(session.kinds(badly.lease), ["prepared", "started", "exited"]);
      }),
    );

    it(
      "reports with the boot id of the node",
      withEngine(open, async (session) => {
        const order = session.orderOf(session.commands.succeed);
        await session.runToEnd(order);
        for (const report of session.reports(order.lease)) assert.equal(report.bootId, session.node.bootId);
      }),
    );

    it(
      "[S16] makes a lease once, however often and however fast it is ordered",
      withEngine(open, async (session) => {
        const order = session.orderOf(session.commands.print("ran"));
        await Promise.all([session.engine.bind(order), session.engine.bind(order)]);
        await session.until(order.lease, "prepared");
        await session.engine.bind(order);
        await session.engine.release(order.lease);
        await session.engine.bind(order);
        await session.until(order.lease, "exited");
        await session.engine.bind(order);
        await session.quiet();
        assert.deepEqual(session.kinds(order.lease), ["prepared", "started", "exited"]);
        assert.deepEqual(await session.printed(order.lease), ["ran"]);
      }),
    );

    it(
      "[S16] starts a member once, however often it is released",
      withEngine(open, async (session) => {
        const { print, sleepMs } = session.commands;
        const lease = await session.hold(session.orderOf(`${print("ran")}; ${sleepMs(200)}`));
        await Promise.all([session.engine.release(lease), session.engine.release(lease)]);
        await session.until(lease, "started");
        await session.engine.release(lease);
        await session.until(lease, "exited");
        await session.engine.release(lease);
        await session.quiet();
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "exited"]);
        assert.deepEqual(await session.printed(lease), ["ran"]);
      }),
    );

    it(
      "[S16] after its last report is acknowledged, does not run a lease again but repeats how it ended",
      withEngine(open, async (session) => {
        const { print, exitWith } = session.commands;
        const order = session.orderOf(`${print("ran")}; ${exitWith(4)}`);
        await session.runToEnd(order);
        await session.acknowledgeAll(order.lease);
        session.clearArrived();
        await session.engine.bind(order);
        await session.untilTrue("the end is reported again", () => session.arrived(order.lease).length > 0);
        await session.engine.release(order.lease);
        await session.quiet();
        assert.deepEqual(session.arrived(order.lease), [3]); // that it says the same is checked on arrival
        await session.reopen();
        await session.engine.bind(order);
        await session.untilTrue("the end is reported to the next one", () => session.arrived(order.lease).length > 0);
        await session.quiet();
        assert.deepEqual(await session.printed(order.lease), ["ran"]);
      }),
    );

    it(
      "keeps members apart: each has its own reports and its own end",
      withEngine(open, async (session) => {
        const { exitWith, runForever } = session.commands;
        const stays = await session.start(session.orderOf(runForever, { gpuUuids: [] }));
        const leaves = session.orderOf(exitWith(2));
        assert.equal((await session.runToEnd(leaves)).code, 2);
        assert.equal((await session.listed(stays))?.state, "running");
        assert.deepEqual(session.kinds(stays), ["prepared", "started"]);
      }),
    );

    it(
      "never runs what names a node or a GPU that it does not have, and says so",
      withEngine(open, async (session) => {
        const { succeed } = session.commands;
        for (const wrong of [{ node: "no-such-node" }, { gpuUuids: ["GPU-no-such-device"] }]) {
          const order = session.orderOf(succeed, wrong);
          await session.engine.bind(order);
          // Where nodes come and go it may have just left: the seat is lost then, and the job starts elsewhere.
          const ended = () => session.reports(order.lease).find(({ what }) => isFinal(what))?.what;
          await session.untilTrue("its end is told", () => ended() !== undefined);
          const end = ended();
          assert.ok(end?.kind === "refused" || end?.kind === "lost", end?.kind);
          assert.match(end.reason, /no-such/);
          await session.engine.release(order.lease);
          await session.quiet();
          assert.deepEqual(session.kinds(order.lease), [end.kind]);
          assert.equal((await session.listed(order.lease))?.state, "gone");
        }
      }),
    );

    it(
      "refuses an image when it runs none",
      withEngine(open, async (session, t) => {
        if (session.engine.capabilities.images) return t.skip("this engine runs images");
        const order = session.orderOf(session.commands.succeed, { image: "registry.example/image:1" });
        await session.engine.bind(order);
        assert.match((await session.until(order.lease, "refused")).reason, /image/);
      }),
    );

    it(
      "[S18] refuses orders of a control plane that was replaced, also after a restart",
      withEngine(open, async (session) => {
        const { succeed } = session.commands;
        await session.hold(session.orderOf(succeed, { epoch: 5 }));
        const late = session.orderOf(succeed, { epoch: 4 });
        await assert.rejects(session.engine.bind(late), EngineFenced);
        await session.reopen();
        await assert.rejects(session.engine.bind(late), EngineFenced);
        await session.quiet();
        assert.equal(await session.listed(late.lease), undefined);
        assert.deepEqual(session.kinds(late.lease), []);
        await session.hold(session.orderOf(succeed, { epoch: 5 }));
        await session.hold(session.orderOf(succeed, { epoch: 6 }));
      }),
    );
  });
}
