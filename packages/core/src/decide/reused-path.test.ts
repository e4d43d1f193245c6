import assert from "node:assert/strict";
import { it } from "node:test";
import type { Command } from "../journal/command.ts";
import { isRefusal } from "../journal/refusal.ts";
import { plainTerms } from "../model/account.ts";
import type { AccountId, OperationId, UserId } from "../model/ids.ts";
import { hour } from "../model/units.ts";
import { emptyState } from "../state/empty.ts";
import { holdersOf, ownSince } from "../state/holders.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { decideBatch } from "./batch.ts";

/** A state, and what became of a command at an hour: the kind of the refusal, or the result. */
function world() {
  const state = emptyState();
  const ask = (atHour: number, command: Command): string | undefined => {
    const input = { kind: "command", v: 1, op: "op_1" as OperationId, actor: { user: "usr_a" as UserId } } as const;
    const [decision] = decideBatch(state, [{ ...input, request: "r", command }], atHour * hour).decisions;
    return isRefusal(decision) ? decision.refused : decision!.result;
  };
  const balances = () => Object.fromEntries([...state.books.balances].filter(([, micros]) => micros !== 0n).sort());
  return { state, ask, balances };
}

const create = { kind: "account.create", id: "acc_lab" as AccountId, path: "lab", terms: plainTerms } as const;
const again = { ...create, id: "acc_lab2" as AccountId };
const about = { tenant: "lab", currency: "EUR", memo: "" } as const;
const invoice = {
  kind: "invoice.issue",
  tenant: "lab",
  period: { label: "p", fromAt: 0, toAt: 10 * hour, zone: "UTC" },
  ...{ currency: "EUR", mode: "showback", totalMicros: "10000", ratingVersion: 1, textHash: "", extractRoot: "" },
  lines: [
    {
      ...{ kind: "reserved", account: "lab", model: "H100", profile: "", isolation: "whole", topology: "" },
      ...{ version: "p1", perMille: 1000, quantity: "1", numerator: "1", denominator: "1", micros: "10000" },
    },
  ],
} as const satisfies Command;

it("a tenant with the name of a deleted one begins with empty books, and the former keeps its own", () => {
  const { state, ask, balances } = world();
  ask(0, create);
  ask(1, { kind: "tenant.bill", tenant: "lab", mode: "showback", creditLimitMicros: "900" });
  ask(1, { kind: "ledger.post", ...about, entry: "payment", micros: "100" });
  ask(2, { kind: "ledger.post", ...about, entry: "hold", micros: "30" });
  ask(3, { kind: "account.delete", path: "lab" });
  assert.equal(ask(20, again), "acc_lab2");
  assert.deepEqual(balances(), { "EUR cash": 100n, "EUR tenant/lab~1/owed": -100n });
  assert.deepEqual([state.books.holds.size, state.books.tenants.get("lab")], [0, { mode: "chargeback" }]);
  assert.deepEqual(
    holdersOf(state, "lab").map(({ no, mode, book, fromAt }) => [no, mode, book, fromAt]),
    [
      [1, "showback", "lab~1", 0],
      [2, "chargeback", "lab", 20 * hour],
    ],
  );
  // What the former tenant used is invoiced later, and booked to what it has.
  assert.equal(ask(30, invoice), "INV-lab-000001");
  const period = { ...invoice.period, fromAt: 20 * hour, toAt: 25 * hour };
  assert.equal(ask(30, { ...invoice, mode: "chargeback", period }), "INV-lab-000002");
  assert.deepEqual(balances(), {
    ...{ "EUR cash": 100n, "EUR tenant/lab~1/owed": -100n, "EUR tenant/lab~1/shown": 10_000n },
    ...{ "EUR reservation/lab": -10_000n, "EUR reservation/lab~1": -10_000n, "EUR tenant/lab/owed": 10_000n },
  });
  assert.equal(writeSnapshot(readSnapshot(writeSnapshot(state))), writeSnapshot(state));
});

it("budgets and contracts of a deleted account end when its path is given again", () => {
  const { state, ask } = world();
  const budget = { account: "lab", currency: "EUR", limitMicros: "9", every: "month", alertsPerMille: [] } as const;
  const contract = (from: number, to: number, perMille: number) =>
    ({
      kind: "contract.set",
      contract: { tenant: "lab", fromAt: from * hour, toAt: to * hour, gpus: [], perMille },
    }) as const;
  ask(0, create);
  ask(0, { kind: "budget.set", budget: { ...budget, stop: "stop-all" } });
  ask(1, { kind: "budget.reach", account: "lab", stop: "stop-all", perMille: 1000, spentMicros: "9" });
  ask(1, contract(1, 100, 500));
  ask(1, contract(5, 50, 400));
  ask(1, contract(40, 90, 300));
  ask(2, { kind: "account.delete", path: "lab" });
  ask(20, again);
  assert.deepEqual([state.books.budgets.size, state.books.reached.size], [0, 0]);
  const contracts = () =>
    [...state.books.contracts.values()].map(({ fromAt, toAt, perMille }) => [fromAt / hour, toAt / hour, perMille]);
  assert.deepEqual(contracts(), [
    [1, 20, 500],
    [5, 20, 400],
  ]);
  assert.equal(ask(21, contract(19, 30, 700)), "conflict", "it would change the prices of the former tenant");
  assert.equal(ask(21, contract(20, 30, 700)), undefined);
  assert.equal(contracts().length, 3);
});

it("only what is older than an account with a reused path is not its own", () => {
  const { state, ask } = world();
  ask(4, create);
  assert.equal(ownSince(state, state.accountByPath.get("lab")!), 0);
  ask(5, { kind: "account.delete", path: "lab" });
  ask(6, again);
  assert.equal(ownSince(state, state.accountByPath.get("lab")!), 6 * hour);
});
