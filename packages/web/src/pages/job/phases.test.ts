import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { phasesOf } from "./phases.ts";

const at = (minute: number) => new Date(minute * 60_000).toISOString();
const shown = (phases: ReturnType<typeof phasesOf>) =>
  phases.map(({ kind, from, to }) => [kind, from / 60_000, to / 60_000]);

describe("the phases of a job", () => {
  it("are one wait until it starts", () => {
    const job = { submittedAt: at(1), state: "waiting", members: [] } as const;
    assert.deepEqual(shown(phasesOf({ ...job, members: [] }, 5 * 60_000)), [["queue", 1, 5]]);
  });

  it("go on after an attempt that was taken back", () => {
    const attempts = [
      { attempt: 1, nodes: ["n"], placedAt: at(2), startedAt: at(3), endedAt: at(6), result: "evicted" },
    ];
    const job = { submittedAt: at(1), startedAt: at(8), state: "running" as const, members: [], attempts };
    assert.deepEqual(shown(phasesOf(job, 10 * 60_000)), [
      ["queue", 1, 2],
      ["start", 2, 3],
      ["run", 3, 6],
      ["queue", 6, 8],
      ["run", 8, 10],
    ]);
  });
});
