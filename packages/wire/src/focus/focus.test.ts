import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InvoiceShape, LineExplanation, LineShape } from "../shapes/money.ts";
import { focusCsv } from "./columns.ts";
import { focusRows } from "./rows.ts";
import { faultsOf, readCsv } from "./rules.fixture.ts";

const hour = (n: number) => new Date(Date.UTC(2026, 10, 1, n)).toISOString();

function line(no: number, kind: string, micros: string, rest: Partial<LineShape> = {}): LineShape {
  return {
    line: no,
    kind,
    account: "lab/vision",
    model: "H100",
    profile: "",
    isolation: "",
    topology: "",
    version: "2026",
    perMille: 1000,
    quantity: "151200000000",
    unit: "gpu-hour",
    hours: "2",
    unitPriceMicros: "2500000/1",
    micros,
    ...rest,
  };
}

function explained(of: LineShape, stretches: LineExplanation["stretches"] = []): LineExplanation {
  const half = (BigInt(of.micros) / 2n).toString();
  const rest = (BigInt(of.micros) - BigInt(half)).toString();
  const hours = [
    { from: hour(0), to: hour(1), quantity: "75600000000", micros: half },
    { from: hour(1), to: hour(2), quantity: "75600000000", micros: rest },
  ];
  return { invoice: "INV-000001", currency: "EUR", line: of, arithmetic: "", hours, stretches };
}

const stretch = (job: string, gpus: number, from: number, to: number) => ({
  job,
  lease: `${job}-1-0`,
  state: "running",
  node: "n0",
  gpus,
  from: hour(from),
  to: hour(to),
});

const explanations = [
  explained(line(1, "reserved", "5000001")),
  explained(line(2, "burst", "7000003", { topology: "nvlink", account: 'lab/"odd", one' }), [
    stretch("job_a", 2, 0, 2),
    stretch("job_b", 1, 0, 1),
  ]),
  explained(line(3, "lent", "-900000")),
  explained(line(4, "correction", "-17", { unit: "none", unitPriceMicros: "", corrects: "INV-000000/3" })),
];
const invoice: InvoiceShape = {
  number: "INV-000001",
  tenant: "lab",
  period: "2026-11",
  from: hour(0),
  to: new Date(Date.UTC(2026, 11, 1)).toISOString(),
  tz: "UTC",
  currency: "EUR",
  mode: "chargeback",
  status: "issued",
  totalMicros: "11100000",
  lines: explanations.map((explanation) => explanation.line),
  chargesMicros: "12000004",
  creditsMicros: "-900017",
  roundingMicros: "13",
  ratingVersion: 1,
  extractRoot: "",
  text: "",
};

describe("the FOCUS file", () => {
  const { header, rows } = readCsv(focusCsv(focusRows({ invoice, explanations, provider: "The fleet" })));

  test("keeps the rules of its columns", () => {
    assert.deepEqual(faultsOf(header, rows), []);
  });

  test("adds up to the invoice, to the micro", () => {
    const sum = rows.reduce((total, { BilledCost }) => total + BigInt(BilledCost!.replace(".", "")), 0n);
    assert.equal(sum.toString(), invoice.totalMicros);
  });

  test("divides an hour over the jobs that used it", () => {
    const first = rows.filter((row) => row.x_InvoiceLine === "2" && row.ChargePeriodStart === "2026-11-01T00:00:00Z");
    assert.deepEqual(
      first.map(({ AllocatedResourceId, BilledCost }) => [AllocatedResourceId, BilledCost]),
      [
        ["job_a", "2.333334"],
        ["job_b", "1.166667"],
      ],
    );
  });

  test("a rule that is broken is told", () => {
    assert.match(faultsOf(header.slice(1).concat("BilledCost"), rows).join(), /x_ columns are not last/);
    const broken = rows.map((row) => ({ ...row, ChargeCategory: "Usage", BillingCurrency: "euro" }));
    assert.match(faultsOf(header, broken).join(), /BillingCurrency euro/);
  });
});
