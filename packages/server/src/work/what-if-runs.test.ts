import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type WhatIfLimits, type WhatIfRun, WhatIfRuns } from "./what-if-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "tessera-what-if-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs over a program of these lines. */
function runsOf(lines: string, limits: WhatIfLimits = { timeMs: 60_000, memoryMiB: 64 }): WhatIfRuns {
  const program = join(folder, `${Math.random()}.mjs`);
  writeFileSync(program, lines);
  return new WhatIfRuns({ program, args: [], env: process.env, now: Date.now, limits });
}

async function ended(run: WhatIfRun): Promise<WhatIfRun> {
  while (run.state === "running") await setTimeout(10);
  return run;
}

describe("a what-if beside the server", () => {
  it("gets each part of the question as one word, and its report is kept", async () => {
    const runs = runsOf("console.log(JSON.stringify(process.argv.slice(2)))");
    const ask = { from: "7d", sets: ["quota.lab.guarantee=--x"], nodes: ["-4x8"], hardQuotas: true };
    const run = await ended(runs.start(ask)!);
    assert.equal(run.state, "done");
    const words = run.report as string[];
    assert.deepEqual(words.slice(0, 4), [
      "--from=7d",
      "--set=quota.lab.guarantee=--x",
      "--nodes=-4x8",
      "--hard-quotas",
    ]);
    assert.equal(runs.get(run.id), run);
  });

  it("is the only one, tells how far it has come, and ends when it is cancelled", async () => {
    const runs = runsOf(`console.error('{"step":"reads","done":0.25}'); setInterval(() => {}, 1000)`);
    const run = runs.start({ from: "7d" })!;
    assert.equal(runs.start({ from: "1d" }), undefined);
    while (run.done !== 0.25) await setTimeout(10);
    assert.equal(run.step, "reads");
    assert.equal(runs.cancel(run.id)?.state, "cancelled");
    const next = runs.start({ from: "1d" });
    assert.ok(next);
    runs.close();
    assert.equal(next.state, "cancelled");
  });

  it("fails in the program's own words", async () => {
    const runs = runsOf("console.error('the journal is empty'); process.exit(2)");
    const run = await ended(runs.start({ from: "7d" })!);
    assert.deepEqual([run.state, run.failure], ["failed", "the journal is empty"]);
  });

  it("ends when its time or its memory is used up", async () => {
    const slow = runsOf("setInterval(() => {}, 1000)", { timeMs: 300, memoryMiB: 64 });
    assert.match((await ended(slow.start({ from: "7d" })!)).failure!, /longer than/);
    const large = runsOf("const kept = []; for (;;) kept.push(new Array(1000).fill({}).map(() => ({ a: [1] })))", {
      ...{ timeMs: 60_000, memoryMiB: 16 },
    });
    assert.match((await ended(large.start({ from: "7d" })!)).failure!, /more than 16 MiB of memory/);
  });
});
