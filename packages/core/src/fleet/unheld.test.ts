import assert from "node:assert/strict";
import { it } from "node:test";
import type { NodeMode } from "../model/node.ts";
import { unheldAs } from "./unheld.ts";

it("what no lease holds is idle only where any job may have it", () => {
  const as = (mode: NodeMode, heldFor: number, withheld: 0 | 1) =>
    unheldAs({ gpuHeldFor: Int32Array.of(heldFor), gpuWithheld: Uint16Array.of(withheld) }, { mode }, 0);
  assert.deepEqual(
    [as("up", 0, 0), as("up", 7, 0), as("up", -1, 1), as("up", 7, 1)],
    ["idle", "reserved", "down", "down"],
  );
  for (const mode of ["cordoned", "draining", "maintenance", "down", "unknown"] as const)
    assert.deepEqual([as(mode, 0, 0), as(mode, 7, 0)], ["down", "down"], mode);
});
