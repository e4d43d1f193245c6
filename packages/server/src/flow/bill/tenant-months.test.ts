import assert from "node:assert/strict";
import { it } from "node:test";
import { day, hour, type Instant, plainTerms, unitsPerGpu } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy, testPrices } from "../../testing/tenancy.ts";
import { invoiceOf, ratePeriod } from "./bill.ts";
import { periodAt } from "./periods.ts";
import { ratedMonths, tenantMonths } from "./tenant-months.ts";

const began = Date.UTC(2030, 0, 1);
const terms = { ...plainTerms, quota: { guarantee: { H100: 2 * unitsPerGpu }, weight: 1 } };

async function renamed(at: readonly Instant[]): Promise<TestControl> {
  const control = await TestControl.start(undefined, []);
  control.setTime(began);
  await control.must({ kind: "node.register", nodes: fleetOf(1, 8) });
  const idle = { policy: "by-quota", gpus: [{ model: "*", micros: 1_000_000 }] } as const;
  await control.must({ kind: "price.add", version: { ...testPrices, idle } });
  const tenancy = new Tenancy(control);
  await tenancy.account("lab", terms);
  await tenancy.account("ops", terms);
  for (const then of at) {
    control.setTime(then);
    await control.must({ kind: "account.delete", path: "lab" });
    control.setTime(then + hour);
    await tenancy.account("lab", terms);
  }
  return control;
}

it("a month is divided among the tenants that had a name in it, each part with a label of its own", async () => {
  const { state } = await renamed([began + 9 * day, began + 19 * day, began + 40 * day]);
  const partsIn = (at: Instant) =>
    tenantMonths(state, "lab", periodAt(at, "UTC")).map(({ no, isFormer, period: { label, fromAt, toAt } }) => [
      ...[no, isFormer, label],
      ...[(fromAt - began) / day, (toAt - began - hour) / day],
    ]);
  assert.deepEqual(partsIn(began), [
    [1, true, "2030-01~1", 0, 9],
    [2, true, "2030-01~2", 9 + 1 / 24, 19],
    [3, true, "2030-01", 19 + 1 / 24, 31 - 1 / 24],
  ]);
  assert.deepEqual(
    partsIn(began + 70 * day).map(([no, isFormer, label]) => [no, isFormer, label]),
    [[4, false, "2030-03"]],
  );
});

it("[S13] what all tenants pay for idle GPUs adds up to their cost, also where a name was given again", async () => {
  const control = await renamed([began + 9 * day]);
  const { state, reader } = control;
  const month = periodAt(began, "UTC");
  control.setTime(month.toAt);
  const rate = (period: typeof month) => ratePeriod(reader, state, period, control.now());
  const whole = await rate(month);
  const idleOf = async (tenant: string) => {
    const parts = await ratedMonths(state, tenant, month, whole, rate);
    return parts.map(({ rated, mode }) => {
      const lines = invoiceOf(rated, tenant, mode)!.lines.filter(({ kind }) => kind === "idle");
      return lines.reduce((sum, { micros }) => sum + micros, 0n);
    });
  };
  const [lab, ops] = [await idleOf("lab"), await idleOf("ops")];
  const cost = whole.shared.reduce((sum, { kind, micros }) => sum + (kind === "idle" ? micros! : 0n), 0n);
  assert.equal(lab.length, 2);
  assert.ok(lab.every((micros) => micros > 0n));
  assert.equal(
    [...lab, ...ops].reduce((sum, micros) => sum + micros, 0n),
    cost,
  );
});
