import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideBatch, emptyState, type Input, isRefusal, parseJob, plainTerms, unitsPerGpu } from "@tessera/core";
import { factsOf } from "./machines.ts";
import { changes, Story } from "./story.ts";

const startAt = 1_000_000;

describe("Story", () => {
  it("[T7] reports an eviction once for a gang, when it is decided, with its nodes and the claimant", () => {
    const { state, story, submit } = gangOfTwo();
    const { decisions } = decideBatch(state, [submit("job_2", "owner", 1)], startAt + 60_000, {
      see: (event) => story.before(event, state),
    });
    assert.ok(!decisions.some(isRefusal));
    assert.equal(story.events.length, 1);
    const { reason, ...rest } = story.events[0]!;
    assert.deepEqual(rest, { at: 60_000, kind: "evicted", job: "job_1", nodes: ["n0", "n1"], gpus: 16, for: "job_2" });
    assert.match(reason!, /guaranteed/);
  });

  it("tells of a class that changes while the same attempt goes on", () => {
    const now = { attempt: 1, class: "burst" } as const;
    assert.deepEqual(changes(undefined, now), []);
    assert.deepEqual(changes(now, now), []);
    assert.deepEqual(changes(now, { ...now, class: "guaranteed" }), ["promoted"]);
    assert.deepEqual(changes({ ...now, class: "guaranteed" }, now), ["demoted"]);
    assert.deepEqual(changes(now, { attempt: 2, class: "guaranteed" }), []);
  });

  it("[C3] finds a promotion in the state alone", () => {
    const { state, story } = gangOfTwo();
    story.after({ at: startAt, events: [] }, state);
    state.jobById.get("job_1" as never)!.class = "guaranteed";
    story.after({ at: startAt + 1, events: [] }, state);
    assert.deepEqual(
      story.events.map(({ at, kind, job }) => [at, kind, job]),
      [[1, "promoted", "job_1"]],
    );
  });
});

/** A burst gang on two nodes that are guaranteed to another account. */
function gangOfTwo() {
  const state = emptyState();
  const story = new Story(startAt, (id) => id);
  const node = (name: string) =>
    factsOf({
      name,
      model: "H100",
      gpus: 8,
      gpuMemoryMiB: 81_920,
      zone: "z",
      block: "b",
      rack: "r",
      cpusMilli: 1000,
      memoryMiB: 1000,
      mode: "whole",
    });
  const input = (command: unknown) =>
    ({ kind: "command", v: 1, op: "op_1", actor: { user: "system" }, request: "", command }) as Input;
  const submit = (id: string, account: string, nodes: number) => {
    const spec = parseJob({ run: "simulated", nodes, gpus: 8 }, { after: [] });
    assert.ok(!isRefusal(spec));
    return input({ kind: "job.submit", id, account, user: "usr_1", spec, endedBefore: [] });
  };
  const quota = { guarantee: { "*": 16 * unitsPerGpu }, weight: 1 };
  const inputs = [
    input({ kind: "node.register", nodes: [node("n0"), node("n1")] }),
    input({ kind: "account.create", id: "acc_1", path: "guest", terms: plainTerms }),
    input({ kind: "account.create", id: "acc_2", path: "owner", terms: { ...plainTerms, quota } }),
    submit("job_1", "guest", 2),
  ];
  assert.ok(!decideBatch(state, inputs, startAt).decisions.some(isRefusal));
  return { state, story, submit };
}
