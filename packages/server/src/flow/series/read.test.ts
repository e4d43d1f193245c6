import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SeriesFile } from "./file.ts";
import type { Sink } from "./lines.ts";
import type { AccountGroup, RollUpAnswer, RollUpQuery } from "./query.ts";
import { readRollUps } from "./read.ts";
import { RollUps } from "./roll-ups.ts";
import { NaiveRollUps } from "./testing/naive-roll-ups.ts";
import { randomFrom } from "./testing/random.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** So that a stored row of each level ends in the story. */
const start = 19_993 * day + 5 * hour + 17 * minute;

const teams = { "t1/a": ["t1", "root"], "t1/b": ["t1", "root"], "t2/a": ["t2", "root"], t2: ["root"], t1: ["root"] };
type Place = keyof typeof teams;
const places = Object.keys(teams) as Place[];

/** What happens in a minute and what stands at its end: the minute alone decides, so that it can be told twice. */
function countsOf(at: number, sink: Sink): void {
  const random = randomFrom(at / minute);
  for (const place of places) {
    const put = (name: "starts" | "ends" | "preemptions" | "waits", key: string, value: number) => {
      for (const account of [place, ...teams[place]]) sink.add(name, account, key, value);
    };
    if (random() < 0.1) put("starts", "", 1);
    if (random() < 0.1) put("ends", random() < 0.8 ? "succeeded" : "failed", 1 + Math.floor(random() * 3));
    if (random() < 0.001) put("preemptions", "node_lost", 1);
    for (let jobs = random() < 0.05 ? 1 + Math.floor(random() * 9) : 0; jobs > 0; jobs--)
      put("waits", String(Math.floor(random() ** 2 * 96)), 1);
  }
}

function standingAt(at: number, sink: Sink): void {
  const random = randomFrom(-at / minute);
  for (const place of places) {
    const put = (name: "allocated" | "waiting", key: string, value: number) => {
      for (const account of [place, ...teams[place]]) sink.add(name, account, key, value);
    };
    put("allocated", "guaranteed", Math.floor(random() * 8));
    put("allocated", "burst", Math.floor(random() * 30) / 7);
    if (random() < 0.9) {
      sink.add("max", place, "*", Math.floor(random() * 3));
      sink.add("max", place, "/*", 1);
    }
    if (place !== "t2/a" && random() < 0.01) {
      sink.add("max", place, "H100", random() * 8);
      sink.add("max", place, "/H100", 1);
    }
    for (const reason of ["capacity", "quota", "held"]) if (random() < 0.2) put("waiting", reason, random() * 10);
  }
  sink.add("idle", "root", "H100", 8);
  for (const model of ["A100", "H100"]) sink.add("largest.rack", "root", model, Math.floor(random() * 9));
  sink.add("samples", "", "", 1);
}

const group = (key: string, minus: readonly string[] = [], plus = [key]): AccountGroup => ({ key, plus, minus });
const root = [group("root")];
const below = [group("t1"), group("t2"), group("root", ["t1", "t2"])];
const ofTeam = [group("t1/a"), group("t1/b"), group("t1", ["t1/a", "t1/b"]), group("t3")];
const pair = [group("both", ["t2/a"], ["t1", "t2"])];

type Ask = Pick<RollUpQuery, "name" | "kind" | "groups" | "byKey" | "key">;
const asks: Ask[] = [
  ...([root, below, ofTeam, pair] as const).flatMap((groups): Ask[] => [
    { name: "allocated", kind: "gauge", groups, byKey: false },
    { name: "allocated", kind: "gauge", groups, byKey: true },
    { name: "allocated", kind: "gauge", groups, byKey: false, key: "burst" },
    { name: "waiting", kind: "gauge", groups, byKey: true },
    { name: "ends", kind: "counter", groups, byKey: false },
    { name: "ends", kind: "counter", groups, byKey: true, key: "failed" },
    { name: "preemptions", kind: "counter", groups, byKey: true },
    { name: "waits", kind: { quantile: 0.5 }, groups, byKey: false },
    { name: "waits", kind: { quantile: 0.9 }, groups, byKey: true },
    { name: "max", kind: "quotient", groups, byKey: false, key: "*" },
    { name: "max", kind: "quotient", groups, byKey: true },
  ]),
  { name: "idle", kind: "gauge", groups: root, byKey: true },
  { name: "largest.rack", kind: "last", groups: root, byKey: true },
  { name: "largest.rack", kind: "last", groups: root, byKey: false, key: "H100" },
  { name: "lent", kind: "gauge", groups: root, byKey: false },
  { name: "lent", kind: "gauge", groups: root, byKey: true },
  { name: "waits", kind: { quantile: 0.5 }, groups: [group("t3")], byKey: false },
  { name: "max", kind: "quotient", groups: [group("t1/b")], byKey: true },
];

/** How far back it begins, how long it is, the asked step, and the step of the level that answers. */
const spans = [
  [hour, hour, minute, minute],
  [6 * hour, 6 * hour, 5 * minute, 5 * minute],
  [30 * hour, 5 * hour, 15 * minute, 15 * minute],
  [hour, hour, 10_000, minute],
  [3 * day, 5 * hour, minute, 10 * minute],
  [3 * day, 9 * hour, 15 * minute, 20 * minute],
  [9 * day, 9 * hour, 10 * minute, 10 * minute],
  [11 * day, 2 * day, hour, hour],
  [15 * day, 8 * hour, 10 * minute, hour],
  [17 * day, 17 * day, 12 * hour, 12 * hour],
  [17 * day, 17 * day, 3 * day, 3 * day],
] as const;

/** Without the sign of a 0. */
function asSent(answer: RollUpAnswer): unknown {
  return JSON.parse(JSON.stringify(answer));
}

describe("answers of the roll-ups", () => {
  it("are what a count of every minute comes to, at each level, over silences, ends of the process and crashes", () => {
    const file = SeriesFile.begin(":memory:");
    const naive = new NaiveRollUps(start);
    let rollUps = new RollUps(file, assert.fail);
    rollUps.begin(start);
    const random = randomFrom(1);
    let written = start;
    const moveTo = (at: number, silentHours: number) => {
      countsOf(at - minute, rollUps);
      rollUps.endMinute(at, silentHours, (sink) => standingAt(at, sink));
    };
    /** What the naive count hears, once, of each minute. */
    const tell = (at: number, silentHours: number) => {
      countsOf(at - minute, naive);
      for (let no = 0; no <= silentHours * 60; no++) {
        standingAt(at, naive);
        naive.now += minute;
      }
    };
    const until = start + 16 * day + 7 * hour + 23 * minute;
    const silences = new Map<number, number>();
    while (rollUps.sampledUntil < until) {
      const at = rollUps.sampledUntil + minute;
      // Longer silences early, so that most levels have something of both.
      if (at % hour === 0 && !silences.has(at))
        silences.set(at, random() < (at < until - 4 * day ? 0.3 : 0.02) ? 1 + Math.floor(random() * 30) : 0);
      const silentHours = at % hour === 0 ? silences.get(at)! : 0;
      if (at > naive.now) tell(at, silentHours);
      moveTo(at, silentHours);
      if (random() < 0.01) {
        rollUps.write("");
        written = rollUps.sampledUntil;
      }
      if (random() > 0.002) continue;
      rollUps = new RollUps(file, assert.fail);
      assert.ok(rollUps.sampledUntil >= written, "what was written is there");
    }
    countsOf(naive.now, naive);
    countsOf(naive.now, rollUps); // the minute that is under way
    for (const ask of asks)
      for (const [back, length, askedMs, stepMs] of spans) {
        const from = naive.now + 20_000 - back;
        const query = { ...ask, from, to: from + length, linesMax: 3 };
        const answer = readRollUps(rollUps, file, { ...query, stepMs: askedMs });
        assert.deepEqual(
          asSent(answer),
          asSent(naive.answer({ ...query, stepMs })),
          `${JSON.stringify(ask)} ${back} ${askedMs}`,
        );
      }
    file.close();
  });
});
