import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job, LogEntry } from "@tessera/wire";
import { figureRows } from "./figures.ts";
import { firstDifference } from "./first-difference.ts";

const at = (minute: number) => new Date(minute * 60_000).toISOString();
const job = (more: Partial<Job>): Job => ({
  ...{ id: "job_1", name: "n", project: "p", user: "u", type: "batch", state: "ended", held: false, attempt: 1 },
  ...{ priority: 0, gpus: 8, gpuModel: "H100", members: [], submittedAt: at(0), spec: {}, may: [] },
  ...more,
});
const attempt = (placed: number, started: number, ended: number) => ({
  ...{ attempt: 1, nodes: ["n1", "n2"], result: "succeeded" },
  ...{ placedAt: at(placed), startedAt: at(started), endedAt: at(ended) },
});

describe("two runs compared", () => {
  it("are told in figures, with what the later one had more or less of", () => {
    const cost = (micros: string) => ({ currency: "EUR", micros, perHourMicros: "0" });
    const a = job({
      outcome: "succeeded",
      exitCode: 0,
      attempts: [attempt(10, 11, 71)],
      endedAt: at(71),
      cost: cost("4000000"),
    });
    const b = job({
      outcome: "failed",
      exitCode: 1,
      attempts: [attempt(2, 3, 33)],
      endedAt: at(33),
      cost: cost("2500000"),
    });
    const rows = figureRows({ job: a, activity: 80 }, { job: b, activity: 35 }, Date.parse(at(100)));
    assert.deepEqual(
      rows.map(({ label, a, b, difference }) => `${label}: ${a} | ${b} | ${difference}`),
      [
        "Ended: succeeded | failed | ",
        "Exit code: 0 | 1 | ",
        "Waited: 10m | 2m | 8m shorter",
        "Took to start: 1m | 1m | the same",
        "Ran: 1h | 30m | 30m shorter",
        "Attempts: 1 | 1 | the same",
        "GPUs: 8 GPUs H100 | 8 GPUs H100 | the same",
        "Nodes: n1, n2 | n1, n2 | the same",
        "GPU activity: 80 % | 35 % | 45 points less",
        "Cost: 4.00 EUR | 2.50 EUR | 1.50 EUR less",
      ],
    );
    const waiting = figureRows(
      { job: a, activity: undefined },
      { job: job({ state: "waiting" }), activity: undefined },
      0,
    );
    assert.ok(!waiting.some(({ label }) => label === "GPU activity"), "nothing is said of what neither has");
  });

  it("part where their logs first say something else, times and addresses aside", () => {
    const lines = (...texts: string[]) =>
      texts.map((text, i): LogEntry => ({ at: at(i), rank: 0, stream: "stdout", text }));
    const a = lines("start at 10:00:01", "step 1 took 12 ms", "ptr 0x7f01", "loss 0.5", "done");
    const b = lines("start at 11:30:59", "step 1 took 15 ms", "ptr 0x7f99", "loss nan", "RuntimeError");
    assert.deepEqual(firstDifference(a, b), {
      same: 3,
      before: ["start at 10:00:01", "step 1 took 12 ms", "ptr 0x7f01"],
      a: ["loss 0.5", "done"],
      b: ["loss nan", "RuntimeError"],
    });
    assert.deepEqual(firstDifference(a, a.slice(0, 4))?.b, []);
    assert.equal(firstDifference(a, a), undefined);
  });
});
