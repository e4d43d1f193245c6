import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute, unitsPerGpu } from "@tessera/core";
import { isBadFile, parseScenario } from "./parse.ts";
import type { Scenario, ScenarioJob } from "./scenario.ts";

const head = `scenario: 1
name: a test
fleet: [{nodes: 2, named: n, gpus: H100:8}]
accounts: {lab: {guarantee: 4}, lab/vision: {}}
`;

describe("parseScenario", () => {
  it("reads every key of the format into whole units", () => {
    const scenario = read(`scenario: 1
name: everything at once
fleet:
  - {nodes: 2, named: n, gpus: H100:8}
  - {nodes: 1, named: m, gpus: H100-80GB:4, rack: r1, block: b1, zone: z1, cpus: 1.5, memory: 2GiB, mode: mig}
accounts:
  lab/vision: {guarantee: 4, max: 16, lendable: {H100: 4}, weight: 2, trust: trusted, trust_group: ours}
  lab/nlp: {guarantee: {H100: 2, "*": 1}}
policy: {grace: 30s, min_runtime: 5m, rebalance: false, backfill: false, scrub: 10s}
steps:
  - at: 0s
    submit:
      - {job: b, account: lab/nlp, gpus: 1, count: 3}
      - {job: g, account: lab/vision, nodes: 2, gpus: 8, topology: rack, priority: high, runs: 2h, max_time: 3h,
         preemptible: false, checkpoint: 10m, leaves_after: 5s, retry: never}
      - {job: e, account: lab/nlp, members: 1..4, gpus: [H100:0.25, 1g.10gb], topology: nvlink?, priority: -3,
         cpus: 0.5, memory: 4GiB, gpu_memory: 20GiB, gpu_compute: 30%, isolation: mps}
      - {job: f, account: lab/nlp, gpus: H100, array: 1-5:2%2, priority: low, runs: [1m, 2m, 3m]}
      - {job: h, account: lab/nlp, count: 2, memory: 1GiB, each_more: {memory: 1GiB, cpus: 1, max_time: 1h}}
  - at: 61m
    cancel: [b.1, f, f.3]
    node: {n0: down, n1: drain, m0: cordon}
    quota: {lab/nlp: {max: 3}}
    expect:
      running: [b.2, g]
      waiting: {b.3: capacity}
      never: [e]
      ended: {f.1: succeeded}
      evicted: []
      evicted_of: {b: 1}
      running_of: {b: 2}
      usage: {lab/vision: 16, lab: 0.25}
      class: {g: guaranteed, b.2: burst}
      on: {g: {nodes: [n0, n1], racks: 1, blocks: 1, zones: [zone]}}
      would: [{job: w, account: lab/nlp, gpus: 1, starts: 90m, evicts: [b.2]}]
      ahead: {b.3: {own: {burst: 2}}}
      sooner: {b.3: [{gpus: 6, starts: now}]}
      eta: {b.3: unknown}
      likely: {b.3: [61m, 2h], g: unknown}
  - at: 2h
    node: {n0: {maintenance: {from: 3h, until: 4h}}, n1: {maintenance: {until: 3h}}}
    quota: {lab/vision: {guarantee: 6, until: 5h}}
`);
    assert.equal(scenario.name, "everything at once");
    assert.deepEqual(
      scenario.nodes.map(({ name, gpus, model }) => [name, gpus, model]),
      [
        ["n0", 8, "H100"],
        ["n1", 8, "H100"],
        ["m0", 4, "H100-80GB"],
      ],
    );
    const { cpusMilli, memoryMiB, gpuMemoryMiB, rack, block, zone, mode } = scenario.nodes[2]!;
    assert.deepEqual(
      { cpusMilli, memoryMiB, gpuMemoryMiB, rack, block, zone, mode },
      { cpusMilli: 1500, memoryMiB: 2048, gpuMemoryMiB: 81_920, rack: "r1", block: "b1", zone: "z1", mode: "mig" },
    );
    assert.deepEqual(scenario.policy, {
      graceMs: 30_000,
      minRuntimeMs: 300_000,
      rebalance: false,
      backfill: false,
      scrubMs: 10_000,
    });
    const [first, second, third] = scenario.steps;
    const jobs = first!.inputs.map((input) => (input as { job: ScenarioJob }).job);
    assert.deepEqual(
      jobs.map((job) => job.name),
      ["b.1", "b.2", "b.3", "g", "e", "f", "h.1", "h.2"],
    );
    const [, , , g, e, f] = jobs as [unknown, unknown, unknown, ScenarioJob, ScenarioJob, ScenarioJob];
    assert.deepEqual(
      [g.members, g.topology, g.priority, g.runsMs, g.maxTimeMs, g.preemptible, g.checkpointMs, g.leaveMs, g.retry],
      [
        { min: 2, max: 2, apart: true },
        { level: "rack", required: true },
        10,
        2 * hour,
        3 * hour,
        false,
        10 * minute,
        5_000,
        "never",
      ],
    );
    assert.deepEqual(
      [e.members, e.gpus, e.topology, e.priority, e.cpusMilli, e.memoryMiB, e.gpuMemoryMiB, e.gpuComputePercent],
      [
        { min: 1, max: 4, apart: false },
        ["H100:0.25", "1g.10gb"],
        { level: "nvlink", required: false },
        -3,
        500,
        4096,
        20_480,
        30,
      ],
    );
    assert.equal(e.isolation, "mps");
    assert.equal(e.runsMs, undefined);
    assert.deepEqual([f.priority, f.gpus, f.array], [-10, ["H100"], { text: "1-5:2%2", indexes: [1, 3, 5] }]);
    assert.deepEqual(f.runsEachMs, [minute, 2 * minute, 3 * minute]);
    assert.deepEqual(
      jobs.slice(6).map((job) => [job.memoryMiB, job.cpusMilli, job.maxTimeMs]),
      [
        [1024, 0, hour],
        [2048, 1000, 2 * hour],
      ],
    );
    assert.equal(second!.atMs, 61 * minute);
    assert.deepEqual(second!.inputs.slice(0, 6), [
      { kind: "cancel", job: "b.1" },
      { kind: "cancel", job: "f" },
      { kind: "cancel", job: "f.3" },
      { kind: "node", node: "n0", to: "down" },
      { kind: "node", node: "n1", to: "drain" },
      { kind: "node", node: "m0", to: "cordon" },
    ]);
    assert.deepEqual(second!.expect, {
      running: ["b.2", "g"],
      waiting: [{ job: "b.3", kind: "capacity" }],
      never: ["e"],
      ended: [{ job: "f.1", outcome: "succeeded" }],
      evicted: [],
      evictedOf: [{ group: "b", count: 1 }],
      runningOf: [{ group: "b", count: 2 }],
      usage: [
        { account: "lab/vision", units: 16 * unitsPerGpu },
        { account: "lab", units: unitsPerGpu / 4 },
      ],
      class: [
        { job: "g", class: "guaranteed" },
        { job: "b.2", class: "burst" },
      ],
      on: [
        { job: "g", level: "nodes", are: ["n0", "n1"] },
        { job: "g", level: "racks", are: 1 },
        { job: "g", level: "blocks", are: 1 },
        { job: "g", level: "zones", are: ["zone"] },
      ],
      would: [{ job: second!.expect!.would![0]!.job, starts: "1h30m", evicts: ["b.2"] }],
      ahead: [
        { job: "b.3", of: "own", class: "guaranteed", count: 0 },
        { job: "b.3", of: "own", class: "burst", count: 2 },
      ],
      sooner: [{ job: "b.3", changes: [{ field: "gpus", value: "6", starts: "now" }] }],
      eta: [{ job: "b.3", starts: "unknown" }],
      likely: [
        { job: "b.3", between: ["1h1m", "2h"] },
        { job: "g", between: "unknown" },
      ],
    });
    assert.deepEqual(second!.expect!.would![0]!.job.gpus, [1]);
    const [n0, n1, quota] = third!.inputs;
    assert.deepEqual(
      [n0, n1],
      [
        { kind: "maintenance", node: "n0", fromMs: 3 * hour, untilMs: 4 * hour },
        { kind: "maintenance", node: "n1", fromMs: 2 * hour, untilMs: 3 * hour },
      ],
    );
    assert.ok(quota?.kind === "quota" && quota.untilMs === 5 * hour);
    assert.deepEqual(
      quota.accounts.map(({ path, guarantee }) => [path, (guarantee["*"] ?? 0) / unitsPerGpu]),
      [
        ["lab", 7],
        ["lab/vision", 6],
      ],
    );
  });

  it("gives an account that is left out exactly the sum of its children's guarantees, also after an edit", () => {
    const scenario = read(`scenario: 1
name: a tree
fleet: [{nodes: 1, named: n, gpus: H100:8}]
accounts:
  org/team/a: {guarantee: 2}
  org/team/b: {guarantee: {H100: 3}}
  org/c: {guarantee: 1}
  set: {guarantee: 9}
  set/d: {guarantee: 1}
steps:
  - at: 0s
    quota: {org/team/a: {guarantee: 5}, set/d: {weight: 0}}
`);
    const guarantees = (accounts: Scenario["accounts"]) =>
      Object.fromEntries(accounts.map(({ path, guarantee }) => [path, guarantee]));
    assert.deepEqual(guarantees(scenario.accounts), {
      org: { "*": 3 * unitsPerGpu, H100: 3 * unitsPerGpu },
      "org/team": { "*": 2 * unitsPerGpu, H100: 3 * unitsPerGpu },
      "org/team/a": { "*": 2 * unitsPerGpu },
      "org/team/b": { H100: 3 * unitsPerGpu },
      "org/c": { "*": unitsPerGpu },
      set: { "*": 9 * unitsPerGpu },
      "set/d": { "*": unitsPerGpu },
    });
    const [a, d] = scenario.steps[0]!.inputs as readonly { accounts: Scenario["accounts"] }[];
    assert.deepEqual(guarantees(a!.accounts), {
      org: { "*": 6 * unitsPerGpu, H100: 3 * unitsPerGpu },
      "org/team": { "*": 5 * unitsPerGpu, H100: 3 * unitsPerGpu },
      "org/team/a": { "*": 5 * unitsPerGpu },
    });
    assert.deepEqual(
      d!.accounts.map(({ path, weight, guarantee }) => ({ path, weight, guarantee })),
      [{ path: "set/d", weight: 0, guarantee: { "*": unitsPerGpu } }],
    );
  });

  it("brings the terms back after a quota for a time, with edits that were made meanwhile", () => {
    const { steps } = read(`${head}steps:
  - {at: 0s, quota: {lab: {guarantee: 8, until: 2h}}}
  - {at: 1h, quota: {lab: {max: 9}}}
`);
    const [window, edit] = steps.map(({ inputs }) => (inputs[0] as { accounts: Scenario["accounts"] }).accounts[0]!);
    assert.deepEqual([window!.guarantee, window!.max], [{ "*": 8 * unitsPerGpu }, undefined]);
    assert.deepEqual([edit!.guarantee, edit!.max], [{ "*": 4 * unitsPerGpu }, { "*": 9 * unitsPerGpu }]);
  });

  it("takes the trust of an account for the trust of its tenant", () => {
    const scenario = read(
      `${head.replace("lab/vision: {}", "lab/vision: {trust: untrusted, trust_group: ours}")}steps: [{at: 0s}]`,
    );
    const [lab, vision] = scenario.accounts;
    assert.deepEqual([lab!.trust, lab!.trustGroup], ["untrusted", "ours"]);
    assert.deepEqual([vision!.trust, vision!.trustGroup], ["trusted", undefined]);
  });

  it("does the inputs of a step in the order written", () => {
    const { steps } = read(`${head}steps:
  - at: 0s
    quota: {lab: {max: 8}}
    submit: [{job: x, account: lab}]
    cancel: [x]
    node: {n0: cordon}
`);
    assert.deepEqual(
      steps[0]!.inputs.map((input) => input.kind),
      ["quota", "submit", "cancel", "node"],
    );
  });

  describe("names the field, the value and the fix of a bad file", () => {
    const submit = (job: string) => `${head}steps:\n  - at: 0s\n    submit: [${job}]\n`;
    const expect = (what: string) => `${submit("{job: x, account: lab, count: 2}")}    expect: {${what}}\n`;
    const step = (input: string) => `${head}steps:\n  - at: 0s\n    ${input}\n`;
    const maintenance = "steps.0.node.n0.maintenance";
    const bad: [name: string, text: string, field: string, value: unknown, hint: RegExp, line?: number][] = [
      ["not YAML", "scenario: [1", "", null, /mend/, 1],
      ["several documents", `${head}---\n${head}`, "", 2, /exactly one/],
      ["nothing", "", "", 0, /exactly one/],
      ["a key twice", `${head}name: again\n`, "", null, /mend/, 5],
      ["a list", "[1]", "", "[1]", /mapping/, 1],
      ["another version", head.replace("scenario: 1", "scenario: 2"), "scenario", 2, /scenario: 1/, 1],
      ["no name", head.replace("name: a test\n", ""), "name", null, /few words/, 1],
      ["no steps", head, "steps", null, /add steps/],
      ["empty steps", `${head}steps: []`, "steps", "[]", /add one/, 5],
      ["an unknown key", `${head}polcy: {}\nsteps: [{at: 0s}]`, "polcy", "{}", /did you mean policy\?/, 5],
      ["an unknown policy", `${head}policy: {graze: 1s}`, "policy.graze", "1s", /grace/, 5],
      ["a duration without unit", `${head}policy: {grace: 5}`, "policy.grace", 5, /5s or 5m/],
      ["a wrong duration", `${head}policy: {grace: 5 min}`, "policy.grace", "5 min", /number with a unit/],
      ["no node", head.replace(/fleet: .*/, "fleet: []"), "fleet", "[]", /add a group/, 3],
      ["nodes without a model", head.replace("H100:8", "8"), "fleet.0.gpus", 8, /H100:8/, 3],
      ["half a node", head.replace("nodes: 2", "nodes: 0.5"), "fleet.0.nodes", 0.5, /whole number/, 3],
      [
        "two nodes of one name",
        head.replace("H100:8}]", "H100:8}, {nodes: 1, named: n, gpus: H100:1}]"),
        "fleet.1.named",
        "n",
        /differently/,
      ],
      ["a wrong mode", head.replace("H100:8}", "H100:8, mode: migs}"), "fleet.0.mode", "migs", /did you mean mig\?/],
      ["an unknown term", head.replace("guarantee", "guarantees"), "accounts.lab.guarantees", 4, /guarantee\?/, 4],
      [
        "a wrong amount",
        head.replace("guarantee: 4", "guarantee: 0.0001"),
        "accounts.lab.guarantee",
        0.0001,
        /thousandths/,
      ],
      ["a wrong path", head.replace("lab/vision", "lab//vision"), "accounts.lab//vision", "lab//vision", /lab\/vision/],
      ["a broken weight", head.replace("guarantee: 4", "weight: 0.5"), "accounts.lab.weight", 0.5, /whole/],
      [
        "two trusts in one tenant",
        head.replace("guarantee: 4", "trust: untrusted").replace("{}}", "{trust: confidential}}"),
        "accounts.lab/vision.trust",
        "confidential",
        /once, on lab/,
      ],
      ["no time", `${head}steps: [{submit: []}]`, "steps.0.at", null, /at: 10m/],
      ["time that goes backward", `${head}steps:\n  - at: 2m\n  - at: 1m\n`, "steps.1.at", "1m", /order of time/, 7],
      [
        "an unknown account",
        submit("{job: x, account: lab/visoin}"),
        "steps.0.submit.0.account",
        "lab/visoin",
        /lab\/vision\?/,
      ],
      ["a job without a name", submit("{account: lab}"), "steps.0.submit.0.job", null, /a name/],
      [
        "a misspelt key",
        submit("{job: x, account: lab, gpuz: 1}"),
        "steps.0.submit.0.gpuz",
        1,
        /did you mean gpus\?/,
        7,
      ],
      ["wrong GPUs", submit("{job: x, account: lab, gpus: H100:x}"), "steps.0.submit.0.gpus", "H100:x", /1g\.10gb/],
      ["one and a half GPUs", submit("{job: x, account: lab, gpus: 1.5}"), "steps.0.submit.0.gpus", 1.5, /whole GPUs/],
      [
        "members and nodes",
        submit("{job: x, account: lab, nodes: 1, members: 2}"),
        "steps.0.submit.0.members",
        "2",
        /nodes for/,
      ],
      [
        "a range upside down",
        submit("{job: x, account: lab, members: 4..2}"),
        "steps.0.submit.0.members",
        "4..2",
        /smaller/,
      ],
      [
        "a wrong level",
        submit("{job: x, account: lab, topology: racks}"),
        "steps.0.submit.0.topology",
        "racks",
        /rack\?/,
      ],
      [
        "a wrong priority",
        submit("{job: x, account: lab, priority: top}"),
        "steps.0.submit.0.priority",
        "top",
        /low, normal, high/,
      ],
      [
        "count and array",
        submit("{job: x, account: lab, count: 2, array: 1-2}"),
        "steps.0.submit.0.array",
        "1-2",
        /one of the two/,
      ],
      [
        "one name twice",
        submit("{job: x, account: lab}, {job: x, account: lab}"),
        "steps.0.submit.1.job",
        "x",
        /another name/,
      ],
      ["a number for a name", submit("{job: 7, account: lab}"), "steps.0.submit.0.job", 7, /quotes/],
      ["no time to run", submit("{job: x, account: lab, max_time: 0s}"), "steps.0.submit.0.max_time", "0s", /at least/],
      ["an unknown node", `${head}steps:\n  - at: 0s\n    node: {n7: down}`, "steps.0.node.n7", "n7", /n0|n1/],
      [
        "a wrong turn",
        `${head}steps:\n  - at: 0s\n    node: {n0: donw}`,
        "steps.0.node.n0",
        "donw",
        /did you mean down\?/,
      ],
      ["an unknown cancel", `${head}steps:\n  - at: 0s\n    cancel: [y]`, "steps.0.cancel.0", "y", /known: none/],
      [
        "a quota of an unknown account",
        `${head}steps:\n  - at: 0s\n    quota: {lap: {max: 1}}`,
        "steps.0.quota.lap",
        "lap",
        /lab\?/,
      ],
      ["an unknown expectation", expect("runing: [x.1]"), "steps.0.expect.runing", '["x.1"]', /running\?/],
      ["a job never submitted", expect("running: [x.3]"), "steps.0.expect.running.0", "x.3", /x\.1|x\.2/],
      [
        "a wrong reason",
        expect("waiting: {x.1: capacities}"),
        "steps.0.expect.waiting.x.1",
        "capacities",
        /capacity\?/,
      ],
      [
        "a group that is a job",
        expect("evicted_of: {x.1: 1}"),
        "steps.0.expect.evicted_of.x.1",
        "x.1",
        /did you mean x\?/,
      ],
      ["a wrong class", expect("class: {x.1: brust}"), "steps.0.expect.class.x.1", "brust", /burst\?/],
      ["a wrong place", expect("on: {x.1: {rack: 1}}"), "steps.0.expect.on.x.1.rack", 1, /racks\?/],
      ["no time to scrub", `${head}policy: {scrub: 0s}`, "policy.scrub", "0s", /at least 1ms/, 5],
      [
        "growth of a single job",
        submit("{job: x, account: lab, each_more: {memory: 1GiB}}"),
        "steps.0.submit.0.each_more",
        '{"memory":"1GiB"}',
        /add count/,
      ],
      [
        "growth of a name",
        submit("{job: x, account: lab, count: 2, each_more: {memry: 1GiB}}"),
        "steps.0.submit.0.each_more.memry",
        "1GiB",
        /memory\?/,
      ],
      [
        "times without an array",
        submit("{job: x, account: lab, runs: [1m, 2m]}"),
        "steps.0.submit.0.runs",
        '["1m","2m"]',
        /one time/,
      ],
      [
        "too few times",
        submit("{job: x, account: lab, array: 1-3, runs: [1m, 2m]}"),
        "steps.0.submit.0.runs",
        '["1m","2m"]',
        /3 times/,
      ],
      ["an empty turn", step("node: {n0: {}}"), "steps.0.node.n0.maintenance", null, /until: 2h/, 7],
      ["an endless maintenance", step("node: {n0: {maintenance: {}}}"), `${maintenance}.until`, null, /when it ends/],
      [
        "a maintenance that ends before it begins",
        step("node: {n0: {maintenance: {from: 2h, until: 1h}}}"),
        `${maintenance}.until`,
        "1h",
        /later/,
      ],
      [
        "a maintenance in the past",
        `${head}steps:\n  - at: 1h\n    node: {n0: {maintenance: {from: 1m, until: 2h}}}`,
        `${maintenance}.from`,
        "1m",
        /later/,
      ],
      ["a quota until now", step("quota: {lab: {max: 1, until: 0s}}"), "steps.0.quota.lab.until", "0s", /later/],
      [
        "a trust for a time",
        step("quota: {lab: {trust: untrusted, until: 1h}}"),
        "steps.0.quota.lab.trust",
        "untrusted",
        /guarantee, max, lendable, weight/,
      ],
      [
        "a rehearsal without a start",
        expect("would: [{job: y, account: lab}]"),
        "steps.0.expect.would.0.starts",
        null,
        /now, unknown/,
      ],
      [
        "a rehearsal of several jobs",
        expect("would: [{job: y, account: lab, count: 2, starts: now}]"),
        "steps.0.expect.would.0",
        "y",
        /leave out count/,
      ],
      [
        "jobs ahead of no class",
        expect("ahead: {x.1: {own: {brust: 1}}}"),
        "steps.0.expect.ahead.x.1.own.brust",
        1,
        /burst\?/,
      ],
      [
        "a change without a start",
        expect("sooner: {x.1: [{gpus: 1}]}"),
        "steps.0.expect.sooner.x.1.0",
        '{"gpus":1}',
        /starts: now/,
      ],
      [
        "a change of an unknown field",
        expect("sooner: {x.1: [{gpuz: 1, starts: now}]}"),
        "steps.0.expect.sooner.x.1.0.gpuz",
        "gpuz",
        /gpus\?/,
      ],
      ["a start in numbers", expect("eta: {x.1: 60}"), "steps.0.expect.eta.x.1", 60, /60s or 60m/],
      ["half a range", expect("likely: {x.1: [1h]}"), "steps.0.expect.likely.x.1", '["1h"]', /1h, 2h/],
      ["a count that is none", expect("running_of: {x: -1}"), "steps.0.expect.running_of.x", -1, /whole number/],
    ];
    for (const [name, text, field, value, hint, line] of bad) {
      it(name, () => {
        const parsed = parseScenario(text);
        assert.ok(isBadFile(parsed), "it was accepted");
        const { refusal } = parsed;
        assert.deepEqual([refusal.field, refusal.value], [field, value], refusal.detail);
        assert.match(refusal.hint, hint);
        if (line !== undefined) assert.equal(parsed.line, line);
      });
    }
  });

  it("refuses a text that is nested without end", () => {
    const parsed = parseScenario(`${head}steps: ${"[".repeat(50_000)}`);
    assert.ok(isBadFile(parsed));
  });

  it("refuses aliases that stand for more than a scenario could hold", () => {
    const bomb = `a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n`;
    const parsed = parseScenario(`${head}${bomb}`);
    assert.ok(isBadFile(parsed));
    assert.match(parsed.refusal.hint, /write aliased values out/);
  });
});

function read(text: string): Scenario {
  const parsed = parseScenario(text);
  assert.ok(!isBadFile(parsed), JSON.stringify(parsed));
  return parsed;
}
