import assert from "node:assert/strict";
import { it } from "node:test";
import type { NodeNo } from "@tessera/core";
import type { Engine } from "@tessera/engine";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { NodeMarks } from "./marks.ts";

it("an engine learns what the owner decided about its nodes, once, and again where it failed", async () => {
  const control = await TestControl.start(undefined, fleetOf(1, 8));
  const told: string[] = [];
  let fails = true;
  const engine: Partial<Engine> = {
    name: "test",
    async markNode(node, mode, reason) {
      if (fails) throw new Error("away");
      told.push(`${node} ${mode} ${reason}`);
    },
  };
  const node = 0 as NodeNo;
  const marks = new NodeMarks(engine as Engine, control.state);
  assert.equal(marks.note(node), false, "a node that was always in use needs no word");
  await control.must({ kind: "node.drain", node: "n1", reason: "fan" });
  assert.equal(marks.note(node), true);
  await assert.rejects(marks.flush(), /away/);
  fails = false;
  await marks.flush();
  await marks.flush();
  assert.equal(marks.note(node), false);
  await control.must({ kind: "node.up", node: "n1" });
  marks.note(node);
  await marks.flush();
  assert.deepEqual(told, ["n1 cordoned fan", "n1 up "]);
});
