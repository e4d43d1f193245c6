import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AccountId,
  type Command,
  canonicalJson,
  decideBatch,
  emptyState,
  type Input,
  type OperationId,
  plainTerms,
} from "@tessera/core";
import type { Recorded } from "./journal.ts";
import { SameDecisions } from "./same-decisions.ts";

/** Three accounts, one in each batch, as a journal holds them. */
function past(): Recorded[] {
  const state = emptyState();
  return ["a", "b", "c"].map((path, i) => {
    const command: Command = { kind: "account.create", id: `acc_${i}` as AccountId, path, terms: plainTerms };
    const op = `op_${i}` as OperationId;
    const input: Input = { kind: "command", v: 1, op, actor: { user: "system" }, request: op, command };
    const { events } = decideBatch(state, [input], 1_000 + i);
    return { seq: i + 1, at: 1_000 + i, inputs: [input], events: [...events], lines: events.map(canonicalJson) };
  });
}

function replay(batches: readonly Recorded[]): SameDecisions {
  const same = new SameDecisions();
  for (const batch of batches) same.see(batch, () => {});
  return same;
}

/** One batch as if the scheduler of then had decided otherwise. */
function otherwise(seq: number, change: (batch: Recorded) => Partial<Recorded>): Recorded[] {
  return past().map((batch) => (batch.seq === seq ? { ...batch, ...change(batch) } : batch));
}

test("[S26] what is decided the same is no difference", () => {
  const same = replay(past());
  assert.deepEqual([same.batches, same.differences, same.endsAlike()], [3, [], true]);
});

test("a batch that was decided otherwise is told, once, and the past goes on from there", () => {
  const renamed = (batch: Recorded) => {
    const events = batch.events.map((event) => (event.kind === "account-created" ? { ...event, path: "z" } : event));
    return { events, lines: events.map(canonicalJson) };
  };
  const { differences, recorded } = replay(otherwise(2, renamed));
  assert.deepEqual(
    differences.map(({ seq, recorded: was, decided }) => [seq, /"path":"z"/.test(was!), /"path":"b"/.test(decided!)]),
    [[2, true, true]],
  );
  assert.ok(recorded.accountByPath.has("z") && recorded.accountByPath.has("c"));
});

test("an event more or less than was recorded is a difference too", () => {
  const none = replay(otherwise(3, () => ({ events: [], lines: [] })));
  assert.deepEqual([none.differences[0]!.seq, none.differences[0]!.recorded], [3, undefined]);
  const twice = replay(otherwise(3, ({ lines }) => ({ lines: [...lines, '{"kind":"more"}'] })));
  assert.deepEqual([twice.differences[0]!.seq, twice.differences[0]!.decided], [3, undefined]);
});
