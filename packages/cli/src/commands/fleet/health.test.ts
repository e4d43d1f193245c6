import assert from "node:assert/strict";
import { test } from "node:test";
import type { NodeHealthShape, RepairShape } from "@tessera/wire";
import { StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";
import { jobOf } from "../../testing/things.ts";

const at = "2026-11-15T10:00:00.000Z";

function healthOf(change: Partial<NodeHealthShape> = {}): NodeHealthShape {
  const node = { node: "n0", mode: "maintenance", reason: "quarantine: Xid 79", checking: false };
  return { ...node, checks: [], findings: [], faults: 1, repair: 7, ...change };
}

test("the health of a node says what was found and what followed", async (t) => {
  const server = await StandIn.start(t);
  const finding = {
    source: "xid",
    code: "79",
    name: "Xid 79",
    means: "it left the bus",
    action: "quarantine",
  } as const;
  const findings = [{ ...finding, gpu: "GPU-1", count: 3, first: at, last: at, text: "fallen off" }];
  server.on("readNodeHealth", () => healthOf({ findings }));
  const { out } = await runTess(["node", "health", "n0"], { env: server.env });
  for (const part of [
    "n0  maintenance",
    "Repair 7 is open",
    "once within seven days",
    "Xid 79 on GPU-1",
    "3 times",
    "fallen off",
  ])
    assert.ok(out.includes(part), `${part} is not in ${out}`);
});

test("a check is waited for, and a failure is the exit code", async (t) => {
  const server = await StandIn.start(t);
  let left = 2;
  const check = { name: "memory-pattern", gpu: "GPU-1", text: "4 patterns" };
  let result: "passed" | "failed" = "passed";
  server.on("checkNode", () => healthOf({ checking: true }));
  server.on("readNodeHealth", () =>
    healthOf({
      checking: --left > 0,
      checks: [{ ...check, result, measured: "2 blocks differ", expected: "at most 0" }],
    }),
  );
  const good = await runTess(["node", "check", "n0", "--check", "memory-pattern"], { env: server.env });
  assert.deepEqual([good.code, server.requestsTo("checkNode")[0]?.body], [0, { checks: ["memory-pattern"] }]);
  assert.match(good.out, /passed\s+memory-pattern on GPU-1: 2 blocks differ; at most 0 \(4 patterns\)/);
  result = "failed";
  assert.equal((await runTess(["node", "check", "n0"], { env: server.env })).code, 1);
  server.on("getJob", () => jobOf());
  server.on("checkJob", () => ({ nodes: ["n0"] }));
  assert.equal((await runTess(["node", "check", "--job", "llama-ft"], { env: server.env })).code, 1);
  for (const wrong of [
    ["node", "check"],
    ["node", "check", "n0", "--job", "x"],
  ])
    assert.equal((await runTess(wrong, { env: server.env })).code, 2);
});

test("repairs are listed and closed", async (t) => {
  const server = await StandIn.start(t);
  const repair: RepairShape = {
    ...{ id: 7, node: "n0", action: "quarantine", cause: "Xid 79", why: "Xid 79: it left the bus", step: "restart" },
    ...{ opened: at, evidence: [{ at, text: "Xid 79: fallen off" }], noted: 1 },
  };
  server.on("listRepairs", () => ({ items: [repair] }));
  server.on("closeRepair", () => ({ ...repair, closed: at, closedWhy: "new riser" }));
  const { out } = await runTess(["repairs", "--node", "n0", "--all"], { env: server.env });
  assert.match(out, /7\s+n0\s.*Xid 79\s+quarantine\s+restart\s+Xid 79: fallen off/);
  assert.deepEqual(server.requestsTo("listRepairs")[0]?.query, { node: "n0", state: "all", limit: 1000 });
  const closed = await runTess(["repairs", "close", "7", "--reason", "new riser"], { env: server.env });
  assert.deepEqual([closed.code, closed.out], [0, "repair 7 of n0 is closed\n"]);
  assert.equal((await runTess(["repairs", "close", "x", "--reason", "y"], { env: server.env })).code, 2);
});
