import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pricesOf } from "../bill/sample.fixture.ts";
import type { Command } from "../journal/command.ts";
import { isRefusal } from "../journal/refusal.ts";
import { plainTerms } from "../model/account.ts";
import type { AccountId, OperationId, UserId } from "../model/ids.ts";
import { emptyState } from "../state/empty.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { decideBatch } from "./batch.ts";

const hour = 3_600_000;

/** A tenant, and what became of each command: the kind of the refusal, or the result. */
function booksOf() {
  const state = emptyState();
  let now = 100 * hour;
  const ask = (command: Command): string | undefined => {
    const op = "op_1" as OperationId;
    const actor = { user: "usr_a" as UserId };
    const [decision] = decideBatch(
      state,
      [{ kind: "command", v: 1, op, actor, request: "r", command }],
      now++,
    ).decisions;
    return isRefusal(decision) ? decision.refused : decision!.result;
  };
  ask({ kind: "account.create", id: "acc_lab" as AccountId, path: "lab", terms: plainTerms });
  const post = (entry: "payment" | "hold" | "post" | "void" | "adjustment", micros: string, of?: number) =>
    ask({
      kind: "ledger.post",
      tenant: "lab",
      entry,
      currency: "EUR",
      micros,
      memo: "",
      ...(of !== undefined && { of }),
    });
  const balance = (account: string) => state.books.balances.get(`EUR ${account}`) ?? 0n;
  return { state, ask, post, balance };
}

const invoice = {
  kind: "invoice.issue",
  tenant: "lab",
  period: { label: "p", fromAt: 0, toAt: 10 * hour, zone: "UTC" },
  ...{ currency: "EUR", mode: "chargeback", totalMicros: "10000", ratingVersion: 1, textHash: "", extractRoot: "" },
  lines: [
    {
      ...{ kind: "burst", account: "lab", model: "H100", profile: "", isolation: "whole", topology: "", version: "p1" },
      ...{ perMille: 1000, quantity: "1", numerator: "1", denominator: "1", micros: "10003" },
    },
  ],
} as const satisfies Command;

describe("the books", () => {
  it("[S12] number invoices without gaps and close a period once", () => {
    const { ask, state, balance } = booksOf();
    assert.equal(ask(invoice), "INV-lab-000001");
    assert.equal(ask(invoice), "already-exists");
    assert.equal(
      ask({ ...invoice, period: { ...invoice.period, fromAt: 10 * hour, toAt: 20 * hour } }),
      "INV-lab-000002",
    );
    assert.equal(ask({ ...invoice, period: { ...invoice.period, fromAt: 90 * hour, toAt: 500 * hour } }), "conflict");
    assert.deepEqual(state.books.serials.get("lab"), { nextEntry: 5, nextInvoice: 3 });
    assert.equal(balance("tenant/lab/owed"), 20_000n);
    assert.equal(balance("rounding"), 6n);
    assert.equal(
      [...state.books.balances.values()].reduce((sum, each) => sum + each, 0n),
      0n,
    );
  });

  it("number what each tenant has by itself, so that no number tells of other tenants", () => {
    const { ask, post, state } = booksOf();
    ask({ kind: "account.create", id: "acc_art" as AccountId, path: "art", terms: plainTerms });
    for (let i = 0; i < 5; i++) post("payment", "10");
    const art = { ...invoice, tenant: "art" };
    assert.equal(ask(art), "INV-art-000001");
    const hold = (tenant: string) =>
      ask({ kind: "ledger.post", tenant, entry: "hold", currency: "EUR", micros: "5", memo: "" });
    assert.deepEqual([hold("lab"), hold("art"), hold("art"), hold("art"), hold("art")], ["6", "3", "4", "5", "6"]);
    assert.equal(post("void", "0", 6), "7");
    assert.equal(state.books.holds.size, 4);
    assert.deepEqual(readSnapshot(writeSnapshot(state)).books, state.books);
  });

  it("[S13] set money aside up to the credit limit, and post or void each hold once", () => {
    const { ask, post, balance } = booksOf();
    ask({ kind: "tenant.bill", tenant: "lab", mode: "chargeback", creditLimitMicros: "100" });
    assert.equal(post("hold", "101"), "not-allowed");
    post("payment", "50");
    assert.equal(post("hold", "120"), "2");
    assert.equal(post("hold", "31"), "not-allowed");
    assert.equal(post("post", "121", 2), "invalid");
    assert.equal(post("post", "70", 2), "3");
    assert.equal(post("void", "0", 2), "not-found");
    assert.equal(balance("tenant/lab/held"), 0n);
    assert.equal(balance("tenant/lab/owed"), 20n);
    assert.equal(balance("revenue/prepaid"), -70n);
  });

  it("take price lists in order of time and of one currency, and none into a closed period", () => {
    const { ask } = booksOf();
    const add = (change: Parameters<typeof pricesOf>[0]) => ask({ kind: "price.add", version: pricesOf(change) });
    assert.equal(add({ id: "a", fromAt: 5 }), "a");
    assert.equal(add({ id: "a", fromAt: 6 }), "already-exists");
    assert.equal(add({ id: "b", fromAt: 5 }), "conflict");
    assert.equal(add({ id: "b", fromAt: 6, currency: "USD" }), "conflict");
    ask(invoice);
    assert.equal(add({ id: "b", fromAt: 6 }), "conflict");
    assert.equal(add({ id: "b", fromAt: 101 * hour }), "b");
  });

  it("keep the prices of what was used already", () => {
    const { ask } = booksOf();
    const add = (id: string, fromAt: number) => ask({ kind: "price.add", version: pricesOf({ id, fromAt }) });
    assert.equal(add("first", 0), "first", "nothing had a price before");
    assert.equal(add("second", 99 * hour), "conflict");
    assert.equal(add("second", 101 * hour), "second");
  });

  it("[S26] survive being written and read", () => {
    const { ask, post, state } = booksOf();
    ask({ kind: "price.add", version: pricesOf() });
    ask(invoice);
    post("hold", "7");
    const budget = {
      account: "lab",
      currency: "EUR",
      limitMicros: "9",
      every: "month",
      alertsPerMille: [500],
    } as const;
    ask({ kind: "budget.set", budget: { ...budget, stop: "stop-all" } });
    ask({ kind: "budget.reach", account: "lab", stop: "stop-all", perMille: 1000, spentMicros: "9" });
    const text = writeSnapshot(state);
    assert.equal(writeSnapshot(readSnapshot(text)), text);
  });
});
