import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, minute } from "@tessera/core";
import { isBadFile, parseScenario } from "./parse.ts";
import { runScenario, type ScenarioRun } from "./run.ts";

describe("runScenario", () => {
  it("says of each expectation that is not met what was expected and what came", async () => {
    const run = await tell(`
  - at: 0s
    submit:
      - {job: a, account: lab, gpus: 8}
      - {job: b, account: lab, gpus: 2, count: 2}
      - {job: huge, account: lab, gpus: 9}
  - at: 1m
    expect:
      running: [b.1]
      waiting: {a: capacity, b.1: order, huge: never}
      never: [huge, b.2]
      evicted: [a]
      evicted_of: {b: 1}
      running_of: {b: 1}
      usage: {lab: 2}
      class: {a: burst, b.1: burst}
      on: {a: {nodes: [n1], racks: 2}, b.1: {zones: 1}}
`);
    assert.equal(run.ok, false);
    assert.equal(run.settled, true);
    assert.deepEqual(run.failures, [
      { at: minute, what: "running", expected: ["b.1"], got: ["a"] },
      { at: minute, what: "waiting.a", expected: "capacity", got: "running" },
      { at: minute, what: "waiting.b.1", expected: "order", got: "capacity" },
      {
        at: minute,
        what: "waiting.huge",
        expected: "never",
        got: "refused (never-fits: gpus is more than any node has for one member)",
      },
      { at: minute, what: "never.b.2", expected: "never", got: "capacity" },
      { at: minute, what: "evicted", expected: ["a"], got: [] },
      { at: minute, what: "evicted_of.b", expected: 1, got: 0 },
      { at: minute, what: "running_of.b", expected: 1, got: 0 },
      { at: minute, what: "usage.lab", expected: 2, got: 8 },
      { at: minute, what: "class.a", expected: "burst", got: "guaranteed" },
      { at: minute, what: "class.b.1", expected: "burst", got: "waiting (capacity)" },
      { at: minute, what: "on.a.nodes", expected: ["n1"], got: ["n0"] },
      { at: minute, what: "on.a.racks", expected: 2, got: 1 },
      { at: minute, what: "on.b.1.zones", expected: 1, got: "waiting (capacity)" },
    ]);
  });

  it("says of each forecast that is not met what was expected and what users see", async () => {
    const run = await tell(`
  - at: 0s
    submit:
      - {job: a, account: lab, gpus: 8, max_time: 1h}
      - {job: b, account: lab, gpus: 2, max_time: 1h}
  - at: 1m
    expect:
      would:
        - {job: c, account: lab, gpus: 1, starts: now, evicts: [a]}
        - {job: d, account: lab, gpus: 9, starts: now}
      ahead: {a: {own: {burst: 1}}, b: {own: {burst: 1}}}
      sooner: {b: [{gpus: 1, starts: now}]}
      eta: {a: now, b: 2h}
      likely: {b: [1h, 2h]}
`);
    assert.deepEqual(run.failures, [
      { at: minute, what: "would.c.starts", expected: "now", got: "1h" },
      { at: minute, what: "would.c.evicts", expected: ["a"], got: [] },
      { at: minute, what: "would.d.starts", expected: "now", got: "refused (never-fits)" },
      { at: minute, what: "ahead.a.own.guaranteed", expected: 0, got: "running" },
      { at: minute, what: "ahead.a.own.burst", expected: 1, got: "running" },
      { at: minute, what: "ahead.b.own.burst", expected: 1, got: 0 },
      { at: minute, what: "sooner.b", expected: ["gpus: 1, starts now"], got: ["priority: 1, starts now"] },
      { at: minute, what: "eta.a", expected: "now", got: "running" },
      { at: minute, what: "eta.b", expected: "2h", got: "1h" },
      { at: minute, what: "likely.b", expected: ["1h", "2h"], got: "unknown" },
    ]);
  });

  it("ends a job when its run is over, at its max_time where that comes first, and starts the next at that instant", async () => {
    const run = await tell(`
  - at: 0s
    submit:
      - {job: short, account: lab, gpus: 8, runs: 10m, max_time: 10m}
      - {job: over, account: lab, gpus: 8, runs: 1h, max_time: 30m}
      - {job: last, account: lab, gpus: 8}
  - at: 1h
    expect: {running: [last]}
`);
    assert.deepEqual(run.failures, []);
    assert.deepEqual(
      run.events.map(({ at, kind, job, reason }) => [at / minute, kind, job, reason]),
      [
        [0, "started", "short", "guaranteed"],
        [10, "ended", "short", "succeeded"],
        [10, "started", "over", "guaranteed"],
        [40, "ended", "over", "timed-out"],
        [40, "started", "last", "guaranteed"],
      ],
    );
    assert.deepEqual(Object.keys(run.events[0]!), ["at", "kind", "job", "nodes", "gpus", "reason", "for"]);
    assert.deepEqual([run.events[0]!.nodes, run.events[0]!.gpus, run.events[0]!.for], [["n0"], 8, null]);
  });

  it("schedules the inputs of a step with the GPUs of jobs that end at the same instant", async () => {
    const run = await tell(`
  - at: 0s
    submit: [{job: first, account: lab, gpus: 8, runs: 10m}]
  - at: 10m
    submit: [{job: next, account: lab, gpus: 8}]
    expect: {running: [next]}
`);
    assert.deepEqual(run.failures, []);
  });

  it("reports a cancel that came too late, and goes on", async () => {
    const run = await tell(`
  - at: 0s
    submit: [{job: x, account: lab, gpus: 1, runs: 1m}]
  - at: 2m
    cancel: [x]
    expect: {running: []}
`);
    assert.ok(run.ok);
    assert.match(run.events.at(-1)!.reason!, /conflict/);
  });

  it("refuses a file whose quotas or node turns are impossible, and names the field", async () => {
    const refused = async (accounts: string, step: string) => {
      const parsed = parseScenario(`scenario: 1
name: bad
fleet: [{nodes: 1, named: n, gpus: H100:8}]
accounts: ${accounts}
steps:
  - {at: 0s}
  - ${step}
`);
      assert.ok(!isBadFile(parsed), JSON.stringify(parsed));
      const run = await runScenario(parsed);
      assert.ok(isRefusal(run));
      return [run.field, run.value];
    };
    assert.deepEqual(await refused("{lab: {guarantee: 4, max: 2}}", "{at: 1m}"), ["accounts.lab.max", 2]);
    const lab = "{lab: {guarantee: {H100: 4}}}";
    assert.deepEqual(await refused(lab, "{at: 1m, quota: {lab: {max: {H100: 1}}}}"), ["steps.1.quota.lab.max.H100", 1]);
    assert.deepEqual(await refused(lab, "{at: 1m, node: {n0: down}}\n  - {at: 2m, node: {n0: cordon}}"), [
      "steps.2.node.n0",
      "n0",
    ]);
    const window = "{at: 1m, quota: {lab: {guarantee: {H100: 6}, max: {H100: 5}, until: 1h}}}";
    assert.deepEqual(await refused(lab, window), ["steps.1.quota.lab.max.H100", 5]);
    const twice = (input: (until: string) => string) =>
      refused(lab, `{at: 1m, ${input("1h")}}\n  - {at: 2m, ${input("2h")}}`);
    assert.deepEqual(await twice((until) => `quota: {lab: {weight: 2, until: ${until}}}`), ["steps.2.quota.lab", "2m"]);
    assert.deepEqual(await twice((until) => `node: {n0: {maintenance: {until: ${until}}}}`), ["steps.2.node.n0", "2m"]);
  });
});

async function tell(steps: string): Promise<ScenarioRun> {
  const parsed = parseScenario(`scenario: 1
name: a test
fleet: [{nodes: 1, named: n, gpus: H100:8}]
accounts: {lab: {guarantee: 8}}
steps:${steps}`);
  assert.ok(!isBadFile(parsed), JSON.stringify(parsed));
  const run = await runScenario(parsed);
  assert.ok(!isRefusal(run), JSON.stringify(run));
  return run;
}
