import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  decideBatch,
  type Event,
  emptyState,
  type Input,
  isRefusal,
  parseJob,
  plainTerms,
  type State,
} from "@tessera/core";
import { factsOf } from "./machines.ts";
import { changes, Story } from "./story.ts";

const startAt = 1_000_000;

describe("Story", () => {
  it("[T7] tells of an eviction once for a gang, when it is decided, with where it was", () => {
    const { state, story } = gangOfTwo();
    const stop = (lease: string): Event => ({
      kind: "lease-stopping",
      v: 1,
      at: startAt + 60_000,
      lease: lease as never,
      sequence: 0,
      cause: "preempt",
      signal: "SIGTERM",
      graceMs: 0,
    });
    for (const event of [stop("job_1-1-0"), stop("job_1-1-1")]) {
      story.before(event, state);
      // The state takes the event in between, as it would at a commit.
      state.jobById.get("job_1" as never)!.stopCause = "preempt";
    }
    assert.deepEqual(story.events, [
      { at: 60_000, kind: "evicted", job: "gang", nodes: ["n0", "n1"], gpus: 16, reason: "preempt", for: null },
    ]);
  });

  it("tells of a class or a size that changes while the same attempt goes on", () => {
    const now = { attempt: 1, class: "burst", members: 2 } as const;
    assert.deepEqual(changes(undefined, now), []);
    assert.deepEqual(changes(now, now), []);
    assert.deepEqual(changes(now, { ...now, class: "guaranteed" }), ["promoted"]);
    assert.deepEqual(changes({ ...now, class: "guaranteed" }, now), ["demoted"]);
    assert.deepEqual(changes(now, { ...now, members: 1 }), ["shrunk"]);
    assert.deepEqual(changes(now, { ...now, members: 3 }), ["grown"]);
    assert.deepEqual(changes(now, { attempt: 2, class: "guaranteed", members: 3 }), []);
  });

  it("[C3] finds a promotion in the state alone", () => {
    const { state, story } = gangOfTwo();
    story.after({ at: startAt, events: [] }, state);
    state.jobById.get("job_1" as never)!.class = "guaranteed";
    story.after({ at: startAt + 1, events: [] }, state);
    assert.deepEqual(
      story.events.map(({ at, kind, job }) => [at, kind, job]),
      [[1, "promoted", "gang"]],
    );
  });
});

/** A burst gang on two nodes. */
function gangOfTwo(): { state: State; story: Story } {
  const state = emptyState();
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
  const spec = parseJob({ run: "simulated", nodes: 2, gpus: 8 }, { after: [] });
  assert.ok(!isRefusal(spec));
  const commands = [
    { kind: "node.register", nodes: [node("n0"), node("n1")] },
    { kind: "account.create", id: "acc_1", path: "lab", terms: plainTerms },
    { kind: "job.submit", id: "job_1", account: "lab", user: "usr_1", spec, endedBefore: [] },
  ];
  const inputs = commands.map(
    (command, i) =>
      ({ kind: "command", v: 1, op: `op_${i}`, actor: { user: "system" }, request: "", command }) as Input,
  );
  const { decisions } = decideBatch(state, inputs, startAt);
  assert.ok(!decisions.some(isRefusal));
  return { state, story: new Story(startAt, () => "gang") };
}
