import { createHash } from "node:crypto";
import {
  buildInvoice,
  day,
  entriesOf,
  faultOf,
  hour,
  invoiceText,
  latestOf,
  PeriodRating,
  second,
} from "@tessera/core";
import { countOf, parseCall } from "../call.ts";
import { spreadOf } from "./figures.ts";
import { month } from "./month.ts";

/** `npm run bench:bill`: rates a month of the target fleet day by day, then closes it. */
const usage = "npm run bench:bill -- [--jobs 1000000] [--teams 300] [--days 30] [--rounds 3] [--seed 1] [--json]";
const goal = { leasesPerSecond: 100_000, rssMiB: 1024, closeSeconds: 5 };

const values = parseCall(usage, {
  jobs: { type: "string", default: "1000000" },
  teams: { type: "string", default: "300" },
  days: { type: "string", default: "30" },
  rounds: { type: "string", default: "3" },
  seed: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
});
const [jobs, teams, days, rounds, seed] = (["jobs", "teams", "days", "rounds", "seed"] as const).map((name) =>
  countOf(usage, `--${name}`, values[name]),
) as [number, number, number, number, number];
const say = values.json ? () => {} : (text: string) => console.log(text);

let peakMiB = 0;
const noteMemory = () => {
  peakMiB = Math.max(peakMiB, process.memoryUsage.rss() / 2 ** 20);
};

const found = Array.from({ length: rounds }, (_, i) => round(i + 1));
const same = new Set(found.map(({ textHash }) => textHash)).size === 1;
const { leases, stretches, invoices, lines, entries, unbalanced } = found[0]!;
const figures = {
  ...{ jobs, teams, days, rounds, seed, leases, stretches, invoices, lines, entries, unbalanced },
  leasesPerSecond: spreadOf(found.map((each) => each.leasesPerSecond)),
  rateSeconds: spreadOf(
    found.map((each) => each.rateSeconds),
    2,
  ),
  closeSeconds: spreadOf(
    found.map((each) => each.closeSeconds),
    2,
  ),
  /** The wall time is not all spent here on a machine that others use too. */
  cpuSeconds: spreadOf(
    found.map((each) => each.cpuSeconds),
    2,
  ),
  rssMiBMax: Math.round(peakMiB),
  sameInEveryRound: same,
  node: process.version,
  goal,
};
console.log(JSON.stringify(figures));
const reached =
  figures.leasesPerSecond.median >= goal.leasesPerSecond &&
  figures.closeSeconds.median < goal.closeSeconds &&
  peakMiB < goal.rssMiB &&
  unbalanced === 0 &&
  same;
process.exitCode = reached ? 0 : 1;

/** One month: the usage of each day is rated up to the last hour of that day; the rest is the close. */
function round(no: number) {
  const made = month({ jobs, teams, days, seed });
  const period = { label: "2026-11", fromAt: made.fromAt, toAt: made.fromAt + days * day, zone: "UTC" };
  const book = { versions: [made.prices], contracts: [] };
  const rating = new PeriodRating({ period, book, windows: made.windows });
  let [leases, stretches, rateMs, cpuMs] = [0, 0, 0, 0];
  rating.take({ usage: [], floors: made.floors, capacity: made.capacity, lost: [] });
  for (let no = 0; no < days; no++) {
    const today = made.day(no); // making it up is not part of what is measured
    leases += today.leases;
    stretches += today.usage.length;
    const [begun, cpu] = [performance.now(), process.cpuUsage()];
    for (const stretch of latestOf(today.usage)) rating.use(stretch);
    rating.advance(period.fromAt + no * day + 23 * hour);
    rateMs += performance.now() - begun;
    cpuMs += process.cpuUsage(cpu).user / 1000;
    noteMemory();
  }
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  rating.advance(period.toAt);
  const shared = rating.shared();
  const text = createHash("sha256");
  let [invoices, lines, entries, unbalanced] = [0, 0, 0, 0];
  for (const tenant of rating.tenants()) {
    const parts = { tenant, period, mode: "chargeback", book, windows: made.windows, shared, corrections: [] } as const;
    const invoice = buildInvoice({ ...parts, lines: rating.lines(tenant) })!;
    const booked = entriesOf(invoice, `INV-${invoices}`, entries + 1, period.toAt);
    invoices++;
    lines += invoice.lines.length;
    entries += booked.length;
    unbalanced += booked.filter((entry) => faultOf(entry) !== undefined).length;
    text.update(invoiceText(invoice));
  }
  const closeMs = performance.now() - begun;
  cpuMs += process.cpuUsage(cpu).user / 1000;
  noteMemory();
  const rateSeconds = (rateMs + closeMs) / second;
  const leasesPerSecond = Math.round(leases / rateSeconds);
  say(
    `round ${no}: ${leases} leases in ${stretches} stretches at ${leasesPerSecond}/s, close ${(closeMs / second).toFixed(2)} s, ` +
      `${Math.round(peakMiB)} MiB, ${(cpuMs / second).toFixed(1)} s of CPU`,
  );
  return {
    ...{ leases, stretches, invoices, lines, entries, unbalanced, leasesPerSecond, rateSeconds },
    textHash: text.digest("hex"),
    closeSeconds: closeMs / second,
    cpuSeconds: cpuMs / second,
  };
}
