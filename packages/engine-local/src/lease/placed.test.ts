import assert from "node:assert/strict";
import { it } from "node:test";
import { type Clock, systemClock, upMs } from "@tessera/engine";
import { openBench, orderOf } from "../order.fixture.ts";

it("[S27] tells in the time of the control plane when something happened, whatever the machine's clock says", async (t) => {
  const plus = 20 * 24 * 3_600_000;
  // A control plane whose time is 20 days after that of the machine's clock, which was set back.
  const clock: Clock = { now: () => plus + upMs(), at: systemClock.at, whenUp: (_, up) => plus + up };
  const bench = await openBench(t, { clock });
  const before = upMs();
  await bench.run(orderOf("sleep 0.2"));
  const after = upMs();
  const times = bench.reports.map(({ at }) => at - plus);
  assert.ok(
    times.every((at) => at >= before && at <= after),
    `${times} within ${before} to ${after}`,
  );
  assert.ok(times.at(-1)! - times.at(-2)! >= 190, "and how long it ran");
  assert.deepEqual(Object.keys(bench.reports[0]!).sort(), ["at", "bootId", "lease", "sequence", "what"]);
});
