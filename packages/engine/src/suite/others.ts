import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { type OpenHarness, type Others, withEngine } from "./harness.ts";
import type { Session } from "./session.ts";

type Body = (session: Session, others: Others, t: TestContext) => Promise<void>;

/** Of an engine that is not alone with what it made: a cluster has other users, and a network in between. */
export function describeOthers(open: OpenHarness): void {
  const promise = (body: Body) =>
    withEngine(open, async (session: Session, t: TestContext) => {
      if (session.others === undefined) return t.skip("nobody else reaches what this engine made");
      return body(session, session.others, t);
    });

  describe("others", () => {
    it(
      "who delete a running member are not taken for its own end: it is lost",
      promise(async (session, others) => {
        const lease = await session.start(session.orderOf(session.commands.runForever));
        await others.deleteMember(lease);
        await session.until(lease, "lost");
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "lost"]);
        await session.reopen();
        await session.untilTrue("the same is told again", () => session.arrived(lease).length === 3);
      }),
    );

    it(
      "who delete a held member do not make it run, and it is lost",
      promise(async (session, others) => {
        const lease = await session.hold(session.orderOf(session.commands.succeed));
        await others.deleteMember(lease);
        await session.until(lease, "lost");
        await session.engine.release(lease);
        await session.quiet();
        assert.deepEqual(session.kinds(lease), ["prepared", "lost"]);
      }),
    );

    it(
      "who take a node away take its members with it",
      promise(async (session, { nodes }, t) => {
        if (nodes === undefined) return t.skip("no node can be made up here");
        const node = await nodes.add();
        await session.untilTrue("the node is offered", async () => (await session.factsOf(node)) !== undefined);
        const { gpus } = (await session.factsOf(node))!;
        const order = session.orderOf(session.commands.runForever, {
          node,
          gpuUuids: [gpus[0]!.uuid],
          gangNodes: [node],
        });
        const lease = await session.start(order);
        await nodes.remove(node);
        await session.until(lease, "lost");
        await session.untilTrue("it is not offered any more", async () => (await session.factsOf(node)) === undefined);
        assert.deepEqual(session.kinds(lease), ["prepared", "started", "lost"]);
      }),
    );

    it(
      "who break connections make nothing be missed",
      promise(async (session, others) => {
        const { sleepMs, exitWith } = session.commands;
        const lease = await session.start(session.orderOf(`${sleepMs(1_500)}; ${exitWith(3)}`));
        others.breakConnections();
        assert.equal((await session.until(lease, "exited")).code, 3);
        const next = session.orderOf(exitWith(4));
        others.breakConnections();
        assert.equal((await session.runToEnd(next)).code, 4);
      }),
    );

    it(
      "who answer with an old list make nobody lost",
      promise(async (session, others) => {
        const { sleepMs, exitWith } = session.commands;
        const lease = await session.start(session.orderOf(`${sleepMs(4_000)}; ${exitWith(6)}`));
        const callOff = others.hideFromLists(lease);
        others.breakConnections();
        await session.settle(2_000);
        assert.deepEqual(session.kinds(lease), ["prepared", "started"]);
        assert.equal((await session.listed(lease))?.state, "running");
        callOff();
        assert.equal((await session.until(lease, "exited")).code, 6);
      }),
    );
  });
}
