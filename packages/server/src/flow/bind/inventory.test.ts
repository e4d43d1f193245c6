import assert from "node:assert/strict";
import { it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { isKnownFleet } from "./inventory.ts";

it("asks the writer only where an inventory has news", async () => {
  const nodes = fleetOf(3, 8);
  const { state, must } = await TestControl.start(undefined, nodes).then((control) => ({
    state: control.state,
    must: control.must.bind(control),
  }));
  assert.equal(await isKnownFleet(state, "test", structuredClone(nodes)), true);
  assert.equal(await isKnownFleet(state, "test", nodes.slice(1)), false, "a node is gone");
  const [first, ...others] = nodes;
  assert.equal(await isKnownFleet(state, "test", [{ ...first!, cpusMilli: 1 }, ...others]), false, "a node is another");
  assert.equal(await isKnownFleet(state, "test", []), false, "all nodes are gone");
  assert.equal(await isKnownFleet(state, "another", []), true, "an engine without nodes has none yet");
  await must({ kind: "node.down", node: first!.name, reason: "" });
  assert.equal(await isKnownFleet(state, "test", nodes), false, "one that was away may be back");
});
