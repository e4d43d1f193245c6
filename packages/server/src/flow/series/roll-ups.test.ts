import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeriesFile } from "./file.ts";
import { readRollUps } from "./read.ts";
import { RollUps } from "./roll-ups.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("roll-ups of days", () => {
  it("are the sums of their hours, the hour that is under way too, also after they were opened again", () => {
    const file = SeriesFile.begin(":memory:");
    const start = 20_000 * day;
    let rollUps = new RollUps(file, assert.fail);
    rollUps.begin(start);
    const hours = 2 * 24 + 5;
    for (let at = start + minute; at <= start + hours * hour + 30 * minute; at += minute) {
      rollUps.add("ends", "acc", "failed", 1);
      rollUps.endMinute(at, 0, (sink) => {
        sink.add("idle", "acc", "", 6);
        sink.add("samples", "", "", 1);
      });
      if ((at - start) % (7 * hour) !== 0) continue;
      rollUps.write("");
      rollUps = new RollUps(file, assert.fail);
    }
    const ask = { groups: [{ key: "", plus: ["acc"], minus: [] }], byKey: false, linesMax: 10 } as const;
    const read = (name: "ends" | "idle", kind: "counter" | "gauge", stepMs: number) =>
      readRollUps(rollUps, file, { ...ask, name, kind, from: start, to: start + 3 * day, stepMs }).lines[0]?.values;
    assert.deepEqual(read("ends", "counter", day), [1440, 1440, 330]);
    assert.deepEqual(read("idle", "gauge", day), [6, 6, 6]);
    const byHour = read("ends", "counter", hour)!.map((value) => value ?? 0);
    assert.equal(
      byHour.slice(0, 24).reduce((sum, value) => sum + value, 0),
      1440,
    );
    file.close();
  });
});

it("adds up the lines that are too many, so that a stack stays as high; quantiles are left out", () => {
  const file = SeriesFile.begin(":memory:");
  const start = 20_000 * day;
  const rollUps = new RollUps(file, assert.fail);
  rollUps.begin(start);
  const accounts = ["a", "b", "c", "d"];
  for (const [no, account] of accounts.entries())
    for (const name of ["ends", "waits"] as const) rollUps.add(name, account, String(no), 4 - no);
  rollUps.endMinute(start + minute, 0, (sink) => sink.add("samples", "", "", 1));
  const groups = accounts.map((key) => ({ key, plus: [key], minus: [] }));
  const span = { from: start, to: start + minute, stepMs: minute, linesMax: 3, groups, byKey: false };
  const ends = readRollUps(rollUps, file, { ...span, name: "ends", kind: "counter" });
  assert.deepEqual(
    [ends.lines.map(({ key, values }) => `${key} ${values}`), ends.leftOut],
    [["a 4", "b 3", "(others) 3"], 0],
  );
  const waits = readRollUps(rollUps, file, { ...span, name: "waits", kind: { quantile: 0.5 } });
  assert.deepEqual([waits.lines.map(({ key }) => key), waits.leftOut], [["d", "c", "b"], 1]);
  file.close();
});

describe("quotients", () => {
  const start = 20_000 * day;
  const file = SeriesFile.begin(":memory:");
  const rollUps = new RollUps(file, assert.fail);
  rollUps.begin(start);
  /** Two hours: a has always a limit, b in the second hour, c one of 0, and d none. */
  for (let no = 1; no <= 120; no++)
    rollUps.endMinute(start + no * minute, 0, (sink) => {
      sink.add("samples", "", "", 1);
      const limits = { a: 20, c: 0, ...(no > 60 && { b: 100 }) };
      for (const [account, limit] of Object.entries(limits)) {
        sink.add("max", account, "*", limit);
        sink.add("max", account, "/*", 1);
      }
    });
  const read = (accounts: readonly (readonly string[])[], stepMs: number, linesMax = 9) => {
    const groups = accounts.map((plus) => ({ key: plus.join("+"), plus, minus: [] }));
    const ask = { name: "max", kind: "quotient", key: "*", byKey: false } as const;
    const { lines } = readRollUps(rollUps, file, {
      ...ask,
      groups,
      from: start,
      to: start + 2 * hour,
      stepMs,
      linesMax,
    });
    return Object.fromEntries(lines.map(({ key, values }) => [key, values]));
  };

  it("are means of the minutes in which there is something to divide by, and 0 is not nothing", () => {
    assert.deepEqual(read([["b"]], 2 * hour), { b: [100] });
    assert.deepEqual(read([["a"], ["b"], ["c"], ["d"]], hour), { a: [20, 20], b: [null, 100], c: [0, 0] });
    assert.deepEqual(read([["d"]], hour), { d: [null, null] });
  });

  it("of several accounts are known where they are known of each, also of those beyond the most lines", () => {
    assert.deepEqual(read([["a", "b"]], hour), { "a+b": [null, 120] });
    assert.deepEqual(read([["a", "d"]], hour), { "a+d": [null, null] });
    assert.deepEqual(read([["a"], ["b"], ["c"]], hour, 2), { b: [null, 100], "(others)": [20, 20] });
    assert.deepEqual(read([["a"], ["b"], ["c"], ["d"]], hour, 2), { b: [null, 100], "(others)": [null, null] });
  });
});

it("a share of what is free counts by how much is free: without a free GPU there is none", () => {
  const file = SeriesFile.begin(":memory:");
  const start = 20_000 * day;
  const rollUps = new RollUps(file, assert.fail);
  rollUps.begin(start);
  // 8 of 10 free GPUs are scattered for half an hour, then none is free; in the second hour 1 of 90 for a minute more.
  for (let no = 1; no <= 120; no++)
    rollUps.endMinute(start + no * minute, 0, (sink) => {
      sink.add("samples", "", "", 1);
      const [scattered, free] = no <= 30 ? [8, 10] : no === 61 ? [1, 90] : [0, 0];
      sink.add("fragmentation", "root", "H100", 100 * scattered);
      sink.add("fragmentation", "root", "/H100", free);
    });
  const groups = [{ key: "", plus: ["root"], minus: [] }];
  const ask = {
    name: "fragmentation",
    kind: "quotient",
    groups,
    from: start,
    to: start + 2 * hour,
    linesMax: 9,
  } as const;
  const read = (byKey: boolean, stepMs: number) =>
    readRollUps(rollUps, file, { ...ask, byKey, stepMs }).lines[0]?.values;
  assert.deepEqual(read(false, hour), [80, 1.111111]);
  assert.deepEqual(read(true, hour), [80, 1.111111]);
  assert.deepEqual(read(false, 2 * hour), [61.794872], "(30 x 8 + 1) of (30 x 10 + 90)");
  assert.deepEqual(read(false, hour / 2), [80, null, 1.111111, null]);
  file.close();
});

describe("lines and keys of the roll-ups", () => {
  const start = 20_000 * day;
  const valuesOf = (rollUps: RollUps, file: SeriesFile, account: string, key?: string) => {
    const group = { key: account, plus: [account], minus: [] };
    const ask = { name: "ends", kind: "counter", groups: [group, { ...group, key: "" }], byKey: false } as const;
    const span = { from: rollUps.openHour, to: rollUps.openHour + hour, stepMs: hour, linesMax: 2 };
    return readRollUps(rollUps, file, { ...ask, ...span, ...(key !== undefined && { key }) }).lines[0]?.values;
  };

  it("are bounded: what is too much is counted, said once, and in no chart", () => {
    const file = SeriesFile.begin(":memory:");
    const said: string[] = [];
    const rollUps = new RollUps(file, (text) => said.push(text));
    rollUps.begin(start);
    for (let no = 0; no < 200; no++) rollUps.add("ends", "acc", `key ${no}`, 1);
    assert.equal(rollUps.dropped, 200 - 128);
    for (let no = 0; no < 30_010; no++) rollUps.add("ends", `acc_${no}`, "failed", 1);
    assert.equal(rollUps.dropped, 200 - 128 + 11, "one line was there before");
    assert.deepEqual(said, [
      "charts do not count ends of account acc (key 128), and maybe more: the series keep at most 30000 lines of 128 keys",
    ]);
    rollUps.add("ends", "acc", "key 5", 1);
    rollUps.add("ends", "acc_7", "succeeded", 1);
    assert.equal(rollUps.dropped, 200 - 128 + 11, "what is there goes on");
    assert.deepEqual(valuesOf(rollUps, file, "acc"), [129]);
    assert.deepEqual(valuesOf(rollUps, file, "acc_7"), [2]);
    assert.deepEqual(valuesOf(rollUps, file, "acc_30009"), undefined);
    file.close();
  });

  it("are forgotten when nothing is left of them, and others take their numbers", () => {
    const file = SeriesFile.begin(":memory:");
    let rollUps = new RollUps(file, assert.fail);
    rollUps.begin(start);
    const silence = (days: number, account: string) => {
      const at = rollUps.sampledUntil;
      assert.equal(at % day, 0);
      for (let no = 1; no <= 60; no++)
        rollUps.endMinute(at + no * minute, no === 60 ? days * 24 - 1 : 0, (sink) => sink.add("idle", account, "", 8));
    };
    rollUps.add("ends", "gone", "failed", 1);
    rollUps.add("ends", "stays", "failed", 3);
    rollUps.add("ends", "stays", "succeeded", 5);
    silence(300, "root");
    rollUps.add("ends", "stays", "succeeded", 7);
    silence(150, "root");
    const keys = () =>
      Object.fromEntries(file.lines().map(({ name, account, keys }) => [`${name} ${account}`, [...keys.keys()]]));
    const before = { "ends gone": ["failed"], "ends stays": ["failed", "succeeded"], "idle root": [""] };
    assert.deepEqual(keys(), before, "rows of days are dropped when all of their days are old");
    silence(60, "root");
    assert.deepEqual(keys(), { "ends stays": ["succeeded"], "idle root": [""] });
    rollUps.add("ends", "stays", "cancelled", 11);
    rollUps.write("");
    rollUps = new RollUps(file, assert.fail);
    assert.deepEqual(valuesOf(rollUps, file, "stays", "cancelled"), [11]);
    assert.deepEqual(valuesOf(rollUps, file, "stays", "succeeded"), [0]);
    assert.deepEqual(valuesOf(rollUps, file, "stays", "failed"), undefined);
    file.close();
  });
});
