import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { DecisionLog } from "./decision-log.ts";

it("writes decisions in order, devices with ; between, and no node where a task was dropped", () => {
  const folder = mkdtempSync(join(tmpdir(), "decision-log-"));
  try {
    const log = new DecisionLog(join(folder, "log.csv"));
    log.write({ task: "a", node: "n1", devices: [0, 3], milli: 1000, start: 0, end: 9 });
    log.write({ task: "a#2", node: "", devices: [], milli: 0, start: 1.5, end: 1.5 });
    log.close();
    assert.equal(
      readFileSync(join(folder, "log.csv"), "utf8"),
      "task,node,devices,milli,start,end\na,n1,0;3,1000,0,9\na#2,,,0,1.5,1.5\n",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
