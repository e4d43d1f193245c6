import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { phasesOf } from "./phases.ts";

const at = (minute: number) => new Date(minute * 60_000).toISOString();
const shown = (phases: ReturnType<typeof phasesOf>) =>
  phases.map(({ kind, from, to }) => [kind, from / 60_000, to / 60_000]);

describe("the phases of a job", () => {
  it("are one wait until it starts", () => {
    const job = { submittedAt: at(1), state: "waiting" } as const;
    assert.deepEqual(shown(phasesOf(job, 5 * 60_000)), [["queue", 1, 5]]);
  });

  it("go on after an attempt that was taken back", () => {
    const attempts = [
      { attempt: 1, nodes: ["n"], placedAt: at(2), startedAt: at(3), endedAt: at(6), result: "evicted" },
    ];
    const job = { submittedAt: at(1), placedAt: at(7), startedAt: at(8), state: "running" as const, attempts };
    assert.deepEqual(shown(phasesOf(job, 10 * 60_000)), [
      ["queue", 1, 2],
      ["start", 2, 3],
      ["run", 3, 6],
      ["queue", 6, 7],
      ["start", 7, 8],
      ["run", 8, 10],
    ]);
  });

  it("are the same while it runs and after its end", () => {
    const times = { placedAt: at(2), startedAt: at(6) };
    const running = { submittedAt: at(1), ...times, state: "running" } as const;
    const attempts = [{ attempt: 1, nodes: ["n"], ...times, endedAt: at(9), result: "succeeded" }];
    const ended = { submittedAt: at(1), startedAt: at(6), endedAt: at(9), state: "ended" as const, attempts };
    assert.deepEqual(shown(phasesOf(running, 9 * 60_000)), shown(phasesOf(ended, 10 * 60_000)));
    const starting = { submittedAt: at(1), placedAt: at(2), state: "starting" } as const;
    assert.deepEqual(shown(phasesOf(starting, 5 * 60_000)), [
      ["queue", 1, 2],
      ["start", 2, 5],
    ]);
  });
});
