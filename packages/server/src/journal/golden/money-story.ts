import { hour, type IssueInvoice, minute, type PriceVersion } from "@tessera/core";
import { jobId, type Teller } from "./teller.ts";

const prices: PriceVersion = {
  ...{ id: "2026-01", fromAt: Date.UTC(2026, 0, 1), currency: "EUR" },
  gpus: [{ model: "*", reservedMicros: 2_000_000, burstMicros: 3_000_000 }],
  ...{ isolation: { mig: 1050 }, topology: { nvlink: 1150 }, profile: { "1g.10gb": 1100 } },
  ...{ cpuMicrosPerCoreHour: 12_000, memoryMicrosPerGiBHour: 1_500, storageMicrosPerGiBHour: 10 },
  ...{ unbilled: ["starting"], lenderPerMille: 400, lostWorkPerMille: 1000 },
  idle: { policy: "by-quota", gpus: [{ model: "*", micros: 400_000 }] },
  ...{ minimumMicros: 0, rounding: "half-even" },
  timesOfDay: [{ zone: "Europe/Berlin", days: [6, 7], fromMinute: 0, toMinute: 360, perMille: 700 }],
};

const invoice: IssueInvoice = {
  kind: "invoice.issue",
  tenant: "lab",
  period: { label: "2026-01", fromAt: Date.UTC(2026, 0, 1), toAt: Date.UTC(2026, 0, 1, 13), zone: "UTC" },
  ...{ currency: "EUR", mode: "chargeback" },
  lines: [
    {
      ...{ kind: "reserved", account: "lab", model: "*", profile: "", isolation: "", topology: "", version: "2026-01" },
      ...{ perMille: 1000, quantity: "302400000000", numerator: "2000000", denominator: "1", micros: "8000004" },
    },
  ],
  ...{ totalMicros: "8000000", ratingVersion: 1, textHash: "00".repeat(32), extractRoot: "11".repeat(32) },
};

/** Prices, a contract, budgets that are spent and dropped, an invoice, and prepaid credit. */
export function tellMoney(t: Teller): void {
  t.tick(2 * hour);
  t.do({ kind: "price.add", version: prices });
  t.do({
    kind: "contract.set",
    contract: { tenant: "guest", fromAt: t.now, toAt: t.now + 1000 * hour, gpus: [], perMille: 900 },
  });
  t.do({ kind: "tenant.bill", tenant: "guest", mode: "showback", creditLimitMicros: "50000000" });
  const budget = { account: "lab", currency: "EUR", limitMicros: "10000000", every: "month" } as const;
  t.do({ kind: "budget.set", budget: { ...budget, alertsPerMille: [500, 800], stop: "stop-burst" } });
  t.do({ kind: "budget.set", budget: { ...budget, account: "guest", alertsPerMille: [], stop: "alert" } });
  t.do({ kind: "budget.reach", account: "lab", stop: "stop-burst", perMille: 1000, spentMicros: "10000001" });
  const spentAt = t.now + hour;
  t.do({ kind: "budget.foresee", account: "guest", over: true, forecastMicros: "20000000", spentAt });
  const windows = [{ fromAt: t.now + hour, toAt: t.now + 7 * hour, perMille: 700 }];
  t.do({ kind: "price.foresee", ahead: { fromAt: t.now, toAt: t.now + 200 * hour, windows } });
  t.tick(minute);
  t.do({ kind: "budget.drop", account: "guest" });
  // One waits for a lower price, one has used up its own budget.
  t.submit("thrifty", "guest", { gpus: 1, max_price: "0.50" });
  t.submit("capped", "owner", { gpus: 0, budget: 2 });
  t.run("capped");
  t.do({ kind: "job.overspend", job: jobId("capped"), spentMicros: "2000001" });
  t.exit("capped", 143);
  t.do(invoice);
  const entry = { kind: "ledger.post", tenant: "guest", currency: "EUR", memo: "prepaid" } as const;
  t.do({ ...entry, entry: "payment", micros: "20000000" });
  t.do({ ...entry, entry: "hold", micros: "5000000" });
  t.do({ kind: "credit.reach", tenant: "guest", reached: true, owedMicros: "50000000" });
}
