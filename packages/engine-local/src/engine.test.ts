import assert from "node:assert/strict";
import { it } from "node:test";
import { openBench, orderOf } from "./order.fixture.ts";

it("gives the job's own exit code and keeps its output", async (t) => {
  const bench = await openBench(t);
  const order = orderOf("echo out; echo err >&2; exit 7");
  assert.deepEqual(await bench.run(order), { kind: "exited", ran: true, code: 7 });
  const lines = await bench.lines(order.lease);
  assert.deepEqual(lines.map((line) => `${line.stream} ${line.text}`).sort(), ["stderr err", "stdout out"]);
});
