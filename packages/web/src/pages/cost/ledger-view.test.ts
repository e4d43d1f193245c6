import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EntryShape } from "@tessera/wire";
import {
  balancesAfter,
  balanceWords,
  bookWords,
  csvRows,
  entryCommand,
  lastMonths,
  owedAfterWords,
  sidesOf,
} from "./ledger-view.ts";

const at = "2026-11-03T00:00:00.000Z";
function entry(no: number, kind: EntryShape["kind"], legs: [string, string][], of?: number): EntryShape {
  return {
    ...{ no, kind, at, currency: "EUR", memo: "why" },
    legs: legs.map(([account, micros]) => ({ account, micros })),
    ...(of !== undefined && { of }),
  };
}
const owed = "tenant/lab/owed";
const entries = [
  entry(3, "hold", [
    [owed, "40"],
    ["tenant/lab/held", "-40"],
  ]),
  entry(2, "payment", [
    ["cash", "1000"],
    [owed, "-1000"],
  ]),
  entry(1, "charge", [
    [owed, "700"],
    ["revenue/gpu", "-700"],
  ]),
];

describe("the ledger as it is shown", () => {
  it("says what a tenant owed after each entry, back from what it owes now", () => {
    assert.deepEqual(balancesAfter(entries, owed, "-260"), ["-260", "-300", "700"]);
  });

  it("shows both sides before an entry is booked, and they add up to nothing", () => {
    for (const [kind, micros] of [
      ["payment", "5000000"],
      ["adjustment", "-12500000"],
      ["hold", "7"],
      ["post", "30"],
      ["void", undefined],
    ] as const) {
      const sides = sidesOf(kind, "lab", micros, entries[0]);
      assert.ok(sides.length >= 2, kind);
      assert.equal(
        sides.reduce((sum, side) => sum + BigInt(side.micros), 0n),
        0n,
        kind,
      );
    }
    assert.deepEqual(sidesOf("payment", "lab", "5", undefined), [
      { account: "cash", micros: "5" },
      { account: owed, micros: "-5" },
    ]);
    assert.deepEqual(sidesOf("post", "lab", "5", undefined), []);
    assert.deepEqual(sidesOf("payment", "lab", undefined, undefined), []);
  });

  it("says what the tenant owes now and after an entry, and what it has paid in advance", () => {
    const billing = { tenant: "lab", owedMicros: "10000000", currency: "EUR" };
    const words = (micros: string | undefined, of = billing) =>
      owedAfterWords(of, sidesOf("payment", "lab", micros, undefined));
    assert.equal(words(undefined), "lab owes 10.00 EUR now.");
    assert.equal(words("4000000"), "lab owes 10.00 EUR now; after this entry lab owes 6.00 EUR.");
    assert.equal(words("10000000"), "lab owes 10.00 EUR now; after this entry lab owes nothing.");
    assert.equal(words("12500000"), "lab owes 10.00 EUR now; after this entry lab has paid 2.50 EUR in advance.");
    assert.match(words("1000000", { ...billing, owedMicros: "-1000000" }), /^lab has paid 1\.00 EUR in advance now; /);
  });

  it("is one command with all that the form sets, in plain decimals and quoted words", () => {
    assert.equal(
      entryCommand({
        account: "lab",
        kind: "adjustment",
        micros: "-41472220000",
        of: 41,
        memo: "outage of 3 November",
      }),
      "tess ledger post lab --kind adjustment --amount -41472.22 --of 41 --memo 'outage of 3 November'",
    );
    assert.equal(
      entryCommand({ account: "lab", kind: "void", of: 3, memo: "" }),
      "tess ledger post lab --kind void --of 3 --memo WHY",
    );
    assert.match(entryCommand({ account: "lab", kind: "payment" }), /--amount AMOUNT/);
  });

  it("writes a row for each leg, in whole micros", () => {
    const rows = csvRows(entries, ["a", "b", "c"]) as { entry: number; micros: string; owedAfterMicros: string }[];
    assert.equal(rows.length, 6);
    assert.deepEqual([rows[0]!.micros, rows[2]!.owedAfterMicros], ["40", "b"]);
  });

  it("names books in words, and months across a year", () => {
    assert.equal(bookWords("tenant/lab/owed"), "owed by lab");
    assert.equal(bookWords("cash"), "cash");
    assert.deepEqual(balanceWords(owed, "-260"), { label: "Paid in advance by lab", micros: "260" });
    assert.deepEqual(balanceWords("tenant/lab/held", "-40"), { label: "Set aside for lab", micros: "40" });
    assert.deepEqual(lastMonths(3, Date.parse("2027-01-31T23:00:00Z")), ["2027-01", "2026-12", "2026-11"]);
  });
});
