import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FleetNode, isRefusal, nodeKey } from "@tessera/core";
import type { CheckAsk, CheckResult, Engine } from "@tessera/engine";
import { fleetOf, TestControl } from "../../testing/control.ts";
import type { Asker } from "../control.ts";
import { CheckWatch } from "./check-watch.ts";
import { NodeChecks } from "./node-checks.ts";

const by: Asker = { actor: { user: "system" }, request: "test" };
const passed: CheckResult = { name: "memory", result: "passed", text: "", ms: 5 };

/** One node, and an engine whose checks give what the test says. */
async function world(results: () => readonly CheckResult[] | Promise<readonly CheckResult[]>, virtual = false) {
  const control = await TestControl.start();
  const nodes = fleetOf(1, 1).map((facts) => ({ ...facts, virtual }));
  const register = () => control.must({ kind: "node.register", nodes });
  const asked: CheckAsk[] = [];
  const check: Engine["check"] = async (_, ask) => {
    asked.push(ask);
    return results();
  };
  const warned: string[] = [];
  const engine: Pick<Engine, "check"> = { check };
  const checks = new NodeChecks({
    control,
    engineOf: (name) => (name === "test" ? (engine as Engine) : undefined),
    warn: (text) => warned.push(text),
  });
  const watch = new CheckWatch({ state: control.state, now: () => control.now(), checks });
  const node = (): FleetNode => control.state.fleet.nodes.findLast((each) => each !== undefined)!;
  const look = async () => {
    watch.look();
    await checks.settled();
  };
  return { control, checks, look, node, register, asked, warned };
}

describe("checks of nodes", () => {
  it("take a node out of use that fails, and bring it back when it passes", async () => {
    let result: CheckResult["result"] = "failed";
    const { checks, node, register } = await world(() => [{ ...passed, result, text: "12 blocks differ" }]);
    await register();
    assert.equal(checks.begin(node(), {}, by), undefined);
    await checks.settled();
    assert.equal(node().own.mode, "maintenance");
    result = "passed";
    checks.begin(node(), {}, by);
    await checks.settled();
    assert.equal(node().own.mode, "up");
  });

  it("run one at a time on a node, and are refused where its engine has none", async () => {
    const { checks, node, register } = await world(() => [passed]);
    await register();
    checks.begin(node(), {}, by);
    assert.match(refusal(checks.begin(node(), {}, by)), /being checked already/);
    await checks.settled();
    const other = { ...node(), facts: { ...node().facts, engine: "away" } };
    assert.match(refusal(checks.begin(other, {}, by)), /cannot be reached/);
  });

  it("of GPUs that the asker's own job holds take nothing out of use; the node is looked at when it is idle", async () => {
    let result: CheckResult["result"] = "failed";
    const { control, checks, look, node, register, asked } = await world(() => [{ ...passed, result }]);
    await register();
    checks.begin(node(), { gpuUuids: ["GPU-1-0"] }, by, true);
    await checks.settled();
    assert.deepEqual([node().own.mode, control.state.repairs.size], ["up", 0]);
    result = "passed";
    await look();
    assert.deepEqual([asked.length, asked[1]], [2, {}]);
    await look();
    assert.equal(asked.length, 2);
  });

  it("that cannot be run are said, and change nothing", async () => {
    const { checks, node, register, warned, control } = await world(() => Promise.reject(new Error("no driver")));
    await register();
    checks.begin(node(), {}, by);
    await checks.settled();
    assert.match(warned[0] ?? "", /no driver/);
    assert.equal(control.state.health.get(nodeKey(node().facts)), undefined);
  });
});

describe("the watch", () => {
  it("checks new nodes that wait for acceptance, and they take work once they pass", async () => {
    const { control, look, node, register, asked } = await world(() => [passed]);
    await control.must({ kind: "policy.set", policy: { ...control.state.policy, acceptance: true } });
    await register();
    assert.equal(node().own.mode, "maintenance");
    await look();
    assert.deepEqual([asked.length, node().own.mode], [1, "up"]);
  });

  it("checks idle nodes when their time has come, and no others", async () => {
    const { control, look, register, asked } = await world(() => [passed]);
    await register();
    await look();
    assert.equal(asked.length, 0);
    await control.must({ kind: "policy.set", policy: { ...control.state.policy, checkEveryMs: 3_600_000 } });
    await look();
    await look();
    assert.equal(asked.length, 1);
  });

  it("leaves nodes of virtual GPUs alone", async () => {
    const { control, look, register, asked } = await world(() => [passed], true);
    await register();
    await control.must({ kind: "policy.set", policy: { ...control.state.policy, checkEveryMs: 3_600_000 } });
    await look();
    assert.equal(asked.length, 0);
  });
});

function refusal(answer: unknown): string {
  assert.ok(isRefusal(answer));
  return answer.detail;
}
