import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryFolder } from "../launch/temporary.js";
import { accepted } from "./accepted.js";
import { firstDifference, normaliser } from "./compare.js";
import { keyOf, makeList } from "./list.js";
import { isUnnamed, named, withoutNeed } from "./named.js";
import { isLarge, isSlow, resultOf } from "./speed.js";

const nothing = { fields: {}, kinds: {} };
const placed = { kind: "job-placed", at: 5, job: 1, seats: [{ node: 0, gpus: [0, 1] }] };

/** The first difference of two lists of decisions. */
function difference(base, present, rules = nothing) {
  const lines = (decisions) => decisions.map((each) => JSON.stringify(each));
  return firstDifference(lines(base), lines(present), normaliser(rules));
}

describe("the comparison of two streams of decisions", () => {
  it("finds none between equal ones, however their keys are ordered", async () => {
    const turned = { seats: [{ gpus: [0, 1], node: 0 }], job: 1, at: 5, kind: "job-placed" };
    assert.equal(await difference([placed, placed], [turned, placed]), undefined);
  });

  for (const [what, change] of Object.entries({
    "another job": { job: 2 },
    "another instant": { at: 6 },
    "another kind": { kind: "job-claimed" },
    "another GPU": { seats: [{ node: 0, gpus: [0, 2] }] },
    "GPUs in another order": { seats: [{ node: 0, gpus: [1, 0] }] },
    "a field more": { scrub: [0] },
  })) {
    it(`finds ${what}, and where`, async () => {
      const other = { ...placed, ...change };
      const found = await difference([placed, placed, placed], [placed, other, placed]);
      assert.deepEqual(found, { index: 1, base: JSON.stringify(placed), present: JSON.stringify(other) });
    });
  }

  it("finds that one has ended before the other", async () => {
    const line = JSON.stringify(placed);
    assert.deepEqual(await difference([placed], [placed, placed]), { index: 1, base: undefined, present: line });
    assert.deepEqual(await difference([placed], []), { index: 0, base: line, present: undefined });
  });

  it("does not compare texts, at whatever depth", async () => {
    const said = (text) => ({ kind: "lease-stopping", lease: "l1", why: text, more: [{ reason: text }] });
    assert.equal(await difference([said("a")], [said("b")]), undefined);
    assert.notEqual(await difference([said("a")], [{ ...said("a"), lease: "l2" }]), undefined);
  });

  it("leaves out accepted fields of a kind, and accepted kinds, and nothing beside them", async () => {
    const fields = { "job-placed.pass": "new", "job-placed.spec.pool": "new" };
    const more = { ...placed, pass: 7, spec: { pool: "any" } };
    assert.equal(await difference([{ ...placed, spec: {} }], [more], { fields, kinds: {} }), undefined);
    const elsewhere = (pass) => ({ kind: "job-grown", ...(pass && { pass }) });
    assert.notEqual(await difference([elsewhere()], [elsewhere(7)], { fields, kinds: {} }), undefined);
    const noted = { kind: "noted" };
    const kinds = { noted: "new" };
    assert.equal(await difference([placed, placed], [noted, placed, noted, placed], { fields: {}, kinds }), undefined);
    assert.equal((await difference([placed, placed], [noted, placed], { fields: {}, kinds })).index, 1);
  });
});

describe("the list of accepted differences", () => {
  const reasons = { "scenario a.yaml": "a mended fault" };

  it("gives a difference its reason, and leaves others without one", () => {
    assert.equal(isUnnamed(named({ name: "scenario a.yaml" }, reasons)), false);
    assert.equal(isUnnamed(named({ name: "scenario b.yaml" }, reasons)), true);
  });

  it("says which reasons are out of date, of the streams that were compared", () => {
    const names = ["scenario a.yaml", "scenario b.yaml"];
    assert.deepEqual(withoutNeed(names, [], reasons), ["scenario a.yaml"]);
    assert.deepEqual(withoutNeed(names, [{ name: "scenario a.yaml" }], reasons), []);
    assert.deepEqual(withoutNeed(["scenario b.yaml"], [], reasons), []);
  });

  it("has a reason for each of its entries", () => {
    for (const reason of Object.values(accepted).flatMap(Object.values)) assert.match(reason, /\w+ \w+/);
  });
});

describe("the list of what is played", () => {
  it("says what is missing beside the clone, and plays the rest", (t) => {
    const folder = temporaryFolder(t);
    const { groups, skipped } = makeList({ inputs: folder, shared: folder, gpus: 8, cases: 3, traces: true });
    assert.deepEqual(
      groups.find(({ name }) => name === "prover").tasks.map(({ stream }) => stream),
      ["prover case 0", "prover case 1", "prover case 2"],
    );
    assert.ok(groups.some(({ name }) => name === "scale") && !groups.some(({ name }) => name === "philly"));
    assert.equal(skipped.length, 2);
  });

  it("keeps what was recorded of a file apart from what is recorded of another content", (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, "scenarios"));
    const keyWith = (text) => {
      writeFileSync(join(folder, "scenarios", "a.yaml"), text);
      const { groups } = makeList({ inputs: folder, shared: folder, gpus: 8, cases: 0, traces: false });
      return keyOf(groups.find(({ name }) => name === "scenarios").tasks[0]);
    };
    assert.equal(keyWith("one"), keyWith("one"));
    assert.notEqual(keyWith("one"), keyWith("two"));
  });
});

describe("the speed of two sides", () => {
  const side = (perSecond, peakMiB) => ({ perSecond, perCpuSecond: perSecond, peakMiB });
  const pairs = (...ratios) => ratios.map((ratio) => ({ base: side(100, 50), present: side(100 * ratio, 50 / ratio) }));

  it("is the median of the ratios within pairs, with its spread", () => {
    const { speed } = resultOf("fill", pairs(0.5, 1.25, 1));
    assert.deepEqual(speed, { median: 1, min: 0.5, max: 1.25 });
  });

  it("is too low below 0.95, and memory too high above 1.05", () => {
    const good = resultOf("fill", pairs(0.96, 0.96, 0.5));
    assert.deepEqual([isSlow(good), isLarge(good)], [false, false]);
    const bad = resultOf("fill", pairs(0.94, 0.94, 2));
    assert.deepEqual([isSlow(bad), isLarge(bad)], [true, true]);
  });
});
