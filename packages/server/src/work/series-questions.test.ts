import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { Outage } from "../flow/control.ts";
import type { RollUpQuery } from "../flow/series/query.ts";
import { QueueFull } from "./fair-queue.ts";
import { SeriesQuestions } from "./series-questions.ts";

describe("questions to the thread of the series", () => {
  let questions: SeriesQuestions;
  /** What the thread was sent and has not answered, the oldest first; each question asks from another instant. */
  let sent: { readonly id: number; readonly from: number }[];
  beforeEach(() => {
    sent = [];
    questions = new SeriesQuestions((id, { from }) => void sent.push({ id, from }));
  });

  const ask = async (from: number, caller: string) => {
    const query: Partial<RollUpQuery> = { from };
    const { times } = await questions.ask(query as RollUpQuery, caller);
    return times[0];
  };
  /** The thread answers the oldest question with the instant that it asks for. */
  const answer = () => {
    const { id, from } = sent.shift()!;
    questions.answered(id, { stepMs: 1, times: [from], lines: [], leftOut: 0 });
    return from;
  };
  const refusals = async (asked: readonly Promise<unknown>[]) => {
    const settled = await Promise.allSettled(asked);
    return settled.flatMap((each) => (each.status === "rejected" ? [each.reason as Error] : []));
  };

  it("are answered in turns: a caller with many of them waits for itself", async () => {
    const much = Array.from({ length: 20 }, (_, no) => ask(no, "ann"));
    const one = ask(100, "bob");
    assert.deepEqual([answer(), answer(), answer()], [0, 100, 1]);
    assert.equal(await one, 100);
    while (sent.length > 0) answer();
    assert.deepEqual(
      await Promise.all(much),
      Array.from({ length: 20 }, (_, no) => no),
    );
  });

  it("are refused to a caller with too many of them, and not to others", async () => {
    const much = Array.from({ length: 64 }, (_, no) => ask(no, "ann"));
    const one = ask(100, "bob");
    const refusing = refusals(much);
    while (sent.length > 0) answer();
    const refused = await refusing;
    assert.equal(refused.length, 31, "one is asked and 32 wait");
    assert.ok(refused.every((error) => error instanceof QueueFull && error.ofCaller));
    assert.equal(await one, 100);
  });

  it("are bounded for all callers together, and few are with the thread", async () => {
    const all = Array.from({ length: 300 }, (_, no) => ask(no, `user ${no}`));
    assert.equal(sent.length, 8);
    const refusing = refusals(all);
    while (sent.length > 0) answer();
    const refused = await refusing;
    assert.equal(refused.length, 300 - 8 - 256);
    assert.ok(refused.every((error) => error instanceof QueueFull && !error.ofCaller));
  });

  it("are all refused when the thread is gone, and none of those that come later waits for them", async () => {
    const asked = Array.from({ length: 20 }, (_, no) => ask(no, `user ${no % 10}`));
    const refusing = refusals(asked);
    questions.refuseAll(new Outage("gone"));
    assert.deepEqual(
      (await refusing).map(({ message }) => message),
      asked.map(() => "gone"),
    );
    sent.length = 0;
    const later = ask(100, "user 0");
    answer();
    assert.equal(await later, 100);
  });
});
