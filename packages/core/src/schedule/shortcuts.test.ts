import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { ClaimWatch } from "../claim/claim-watch.ts";
import type { AccountNo } from "../model/ids.ts";
import { KnownFull } from "../place/full-marks.ts";
import type { State } from "../state/state.ts";
import { diceOf } from "../testing/dice.ts";
import type { World } from "../testing/world.ts";
import { AccountSet } from "./account-set.ts";
import { HopelessShapes } from "./attempts.ts";
import { InsistingGroups } from "./insisting.ts";
import { KeptContests } from "./kept-contests.ts";
import { SchedulerMemory } from "./memory.ts";
import { type DayOptions, playDay } from "./random-day.fixture.ts";

/** Replaces a method until the test is over. */
function replace<Owner extends object, Name extends keyof Owner>(
  t: TestContext,
  owner: Owner,
  name: Name,
  make: (original: Owner[Name]) => Owner[Name],
): void {
  const original = owner[name];
  owner[name] = make(original);
  t.after(() => {
    owner[name] = original;
  });
}

/** Switches off a shortcut, and counts how often it would have saved something. */
type Off = (t: TestContext, saved: () => void) => void;

/** Days with a few waiting jobs, with and without plans, and days on which more than 256 groups wait [B6]. */
const days = {
  short: [1, 2, 3, 4, 5, 6].map((seed) => ({ seed, waiting: 40, backfill: seed % 2 === 0 })),
  long: [1, 2].map((seed) => ({ seed, waiting: 330, backfill: seed % 2 === 0 })),
};
const played = new Map<DayOptions, string>();

/** The events of a day with all shortcuts. */
function eventsOf(day: DayOptions): string {
  const known = played.get(day) ?? playDay(day);
  played.set(day, known);
  return known;
}

function changesNothing(name: string, kinds: readonly (keyof typeof days)[], off: Off): void {
  it(name, (t) => {
    const all = kinds.flatMap((kind) => days[kind]);
    const before = all.map(eventsOf);
    let savings = 0;
    off(t, () => savings++);
    const after = all.map(playDay);
    assert.ok(savings > 0, "it has nothing to save on these days");
    for (const [i, events] of after.entries()) assert.ok(events === before[i], firstDifference(events, before[i]!));
  });
}

function firstDifference(a: string, b: string): string {
  const [left, right] = [a.split("\n"), b.split("\n")];
  const at = left.findIndex((line, i) => line !== right[i]);
  return `event ${at} without the shortcut: ${left[at]}\nwith it: ${right[at]}`;
}

describe("no decision depends on", () => {
  changesNothing("[O4] remembering wishes that find no seats", ["short"], (t, saved) => {
    replace(
      t,
      KnownFull.prototype,
      "isFull",
      (isFull) =>
        function (this: KnownFull, ...args) {
          if (isFull.apply(this, args)) saved();
          return false;
        },
    );
  });

  changesNothing("[O3] skipping a shape that found no room for another run time", ["short", "long"], (t, saved) => {
    replace(
      t,
      HopelessShapes.prototype,
      "has",
      (has) =>
        function (this: HopelessShapes, group) {
          if (has.call(this, group)) saved();
          return false;
        },
    );
  });

  changesNothing("[O2] keeping a contest from pass to pass", ["long"], (t, saved) => {
    replace(
      t,
      KeptContests.prototype,
      "of",
      (of) =>
        function (this: KeptContests, state, queues) {
          if (queues.length > 0) saved();
          this.forget();
          return of.call(this, state, queues);
        },
    );
  });

  changesNothing("[T1, T3] remembering which groups may insist on a claim", ["long"], (t, saved) => {
    replace(
      t,
      InsistingGroups.prototype,
      "of",
      (of) =>
        function (this: InsistingGroups, state) {
          saved();
          this.forget();
          return of.call(this, state);
        },
    );
  });

  changesNothing("[T7] skipping claimants on whose nodes nothing changed", ["short", "long"], (t, saved) => {
    replace(
      t,
      ClaimWatch.prototype,
      "take",
      (take) =>
        function (this: ClaimWatch, state: State) {
          const some = take.call(this, state);
          if (some.length < state.claimants.size) saved();
          return [...state.claimants];
        },
    );
  });
});

describe("the scheduler's memory", () => {
  it("[S26] may be lost at any moment while all groups are tried after each change", () => {
    for (const day of days.short) {
      const dice = diceOf(day.seed + 1);
      const forget = (world: World) => dice(3) === 0 && Object.assign(world, { memory: new SchedulerMemory() });
      const events = playDay({ ...day, beforeStep: forget });
      assert.ok(events === eventsOf(day), firstDifference(events, eventsOf(day)));
    }
  });
});

describe("the set of accounts whose classes may change", () => {
  it("[C3] names each account once, in the order in which it was added, until it is taken", () => {
    const set = new AccountSet();
    for (const no of [5, 2, 5, 9, 2]) set.add(no as never);
    assert.deepEqual(set.takeAll(), [5, 2, 9]);
    assert.deepEqual(set.takeAll(), []);
    set.add(2 as never);
    assert.deepEqual(set.takeAll(), [2]);
  });

  changesNothing("[C3] leaves out no account whose jobs would change class", ["short", "long"], (t, saved) => {
    replace(
      t,
      AccountSet.prototype,
      "takeAll",
      (takeAll) =>
        function (this: AccountSet) {
          const taken = takeAll.call(this);
          if (taken.length === 0) return taken;
          saved();
          // All accounts of these days; a number without an account is passed over.
          return Array.from({ length: 8 }, (_, no) => no as AccountNo);
        },
    );
  });
});
