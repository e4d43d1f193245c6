import assert from "node:assert/strict";
import { it } from "node:test";
import { upMs } from "@tessera/engine";
import { openBench, orderOf } from "../order.fixture.ts";

it("[S27] tells when something happened by how long the machine was up, since its clock can be set", async (t) => {
  const bench = await openBench(t);
  const before = upMs();
  await bench.run(orderOf("sleep 0.2"));
  const after = upMs();
  const times = bench.reports.map((report) => report.upMs ?? 0);
  assert.ok(
    times.every((at) => at >= before && at <= after),
    `${times} within ${before} to ${after}`,
  );
  assert.ok(times.at(-1)! - times.at(-2)! >= 190, "and how long it ran");
});
