import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { openBench, orderOf } from "../order.fixture.ts";
import { findHierarchies } from "./hierarchies.ts";
import { needsRoot } from "./machine.fixture.ts";
import { ownShare, shareOf } from "./share.ts";

const gibibyte = 2 ** 30;

it("keeps a part of the machine back from all jobs together", () => {
  assert.equal(shareOf(64 * gibibyte, 32_768).memoryBytes, Math.floor(57.6 * gibibyte));
  assert.equal(shareOf(1024 * gibibyte, 32_768).memoryBytes, 1016 * gibibyte);
  assert.equal(shareOf(gibibyte, 32_768).memoryBytes, gibibyte / 2);
  assert.equal(shareOf(gibibyte, 32_768).processes, 24_576);
});

it("limits all jobs together in a group around them, and lets the kernel end jobs first", {
  skip: needsRoot,
}, async (t) => {
  const bench = await openBench(t);
  const order = orderOf("cat /proc/self/oom_score_adj; ulimit -Hn");
  await bench.run(order);
  const [score, files] = (await bench.text(order.lease)).split("\n");
  assert.equal(score, "500");
  assert.ok(Number(files) <= 65_536);
  const pids = findHierarchies().find(({ controllers }) => controllers.includes("pids"));
  if (pids === undefined) return t.skip("no control group here carries pids");
  assert.equal(Number(readFileSync(`${pids.folder}/pids.max`, "utf8")), ownShare().processes);
});
