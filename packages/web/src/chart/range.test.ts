import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  coarseStep,
  isUnderWay,
  moved,
  partsOf,
  queryOf,
  rangeBetween,
  rangeWords,
  readRange,
  timeOf,
  timeOfSteps,
  wholeDays,
  writeRange,
  zoomed,
} from "./range.ts";

describe("the range of a page", () => {
  const hour = 3_600_000;
  const at = Date.UTC(2026, 0, 5);

  it("is in the address, and what cannot be read there is the usual one", () => {
    for (const range of [{ name: "7d" } as const, { from: at, to: at + hour }])
      assert.deepEqual(readRange(writeRange(range), "1d"), range);
    for (const text of [null, "", "2d", "x~y", writeRange({ from: at, to: at }), writeRange({ from: 0, to: at })])
      assert.deepEqual(readRange(text, "1d"), { name: "1d" });
  });

  it("is asked for up to now, or between two instants, and the period before it", () => {
    assert.deepEqual(queryOf({ name: "1h" }), { from: "60m" });
    assert.deepEqual(queryOf({ name: "1h" }, true), { from: "120m", to: "60m" });
    const chosen = { from: at, to: at + hour };
    assert.deepEqual(queryOf(chosen, true), { from: "2026-01-04T23:00:00.000Z", to: "2026-01-05T00:00:00.000Z" });
  });

  it("has about thirty steps for what is counted", () => {
    assert.deepEqual(
      (["1h", "6h", "1d", "7d", "30d", "90d"] as const).map((name) => coarseStep({ name })),
      ["5m", "15m", "60m", "360m", "1440m", "4320m"],
    );
  });

  it("is chosen by dragging, in whole minutes and not shorter than five", () => {
    assert.deepEqual(zoomed(at + 1, at + hour - 1), { from: at, to: at + hour });
    assert.deepEqual(zoomed(at, at + 60_000), { from: at, to: at + 300_000 });
    assert.equal(zoomed(at, at + 1_000), undefined);
  });

  it("moves by half its length, and is up to now again where it would reach beyond", () => {
    const before = moved({ name: "1h" }, -1, at);
    assert.deepEqual(before, { from: at - 1.5 * hour, to: at - hour / 2 });
    assert.deepEqual(moved(before, 1, at), { name: "1h" });
  });

  it("is as long as before where it moves up to now", () => {
    const chosen = { from: at - 3 * hour, to: at - hour / 2 };
    assert.deepEqual(moved(chosen, 1, at), { from: at - 2.5 * hour, to: at });
  });

  it("is typed as two times, and says which of them is wrong", () => {
    const text = (instant: number) => new Date(instant).toISOString();
    const typed = (from: number, to: number) => rangeBetween(text(from), text(to), at);
    assert.deepEqual(typed(at - 3 * hour, at - hour), { from: at - 3 * hour, to: at - hour });
    const wrong = (from: number, to: number) => {
      const found = typed(from, to);
      return "why" in found ? `${found.end}: ${found.why}` : "";
    };
    assert.match(wrong(at - hour, at - hour), /^to: This is not after/);
    assert.match(wrong(at - hour, at - 2 * hour), /^to: This is not after/);
    assert.match(wrong(at - hour, at - hour + 60_000), /^to: Less than 5 minutes/);
    assert.match(wrong(at - 100 * 24 * hour, at), /^to: More than 90 days/);
    assert.match(wrong(at - 401 * 24 * hour, at - 400 * 24 * hour), /^from: Only 400 days are kept/);
    assert.match(wrong(at, at + hour), /^from: This has not come yet/);
    assert.deepEqual(rangeBetween("", text(at), at), { end: "from", why: "Give a day and a time" });
    assert.deepEqual(rangeBetween(text(at - hour), "", at), { end: "to", why: "Give a day and a time" });
  });

  it("is the time of the steps that are chosen on a chart, in either order", () => {
    const view = { times: [at, at + hour, at + 2 * hour], stepMs: hour };
    assert.deepEqual(timeOfSteps(view, 2, 1), { from: at + hour, to: at + 3 * hour });
    assert.deepEqual(timeOfSteps(view, 0, 0), { from: at, to: at + hour });
  });

  it("goes on while it ends now, and until two minutes after an end that was chosen", () => {
    assert.equal(isUnderWay({ name: "1h" }, at), true);
    const chosen = { from: at - hour, to: at };
    assert.deepEqual(
      [-60_000, 0, 60_000, 119_000, 120_000].map((later) => isUnderWay(chosen, at + later)),
      [true, true, true, true, false],
    );
  });

  it("is whole days of UTC for what is known by days, today among them", () => {
    const [now, day] = [at + 10 * hour, 24 * hour];
    assert.deepEqual(wholeDays({ name: "7d" }, now), { from: at - 6 * day, to: at + day });
    assert.deepEqual(wholeDays({ name: "1h" }, now), { from: at, to: at + day });
    assert.deepEqual(wholeDays({ name: "1h" }, at + 1), { from: at - day, to: at + day }, "both that it touches");
    assert.deepEqual(wholeDays({ from: at - 1, to: at + 1 }, now), { from: at - day, to: at + day });
  });

  it("has parts that are as long as it is together; the last ends now", () => {
    const now = at + 10 * hour + 20_000;
    for (const [name, step, many] of [
      ["1h", hour / 12, 12],
      ["1d", hour, 24],
      ["7d", 24 * hour, 7],
      ["90d", 72 * hour, 30],
    ] as const) {
      const { stepMs, parts } = partsOf({ name }, now);
      assert.deepEqual([stepMs, parts.length, parts.at(-1)!.to], [step, many, now], name);
      for (const [no, { from }] of parts.entries()) if (no > 0) assert.equal(from, parts[no - 1]!.to);
      assert.equal(parts[0]!.from % Math.min(stepMs, 24 * hour), 0, name);
    }
    assert.deepEqual(timeOf({ name: "7d" }, now), { from: "2025-12-30T00:00:00.000Z" });
    assert.deepEqual(timeOf({ name: "7d" }, now, true), {
      from: "2025-12-23T00:00:00.000Z",
      to: "2025-12-30T00:00:00.000Z",
    });
    assert.deepEqual(timeOf({ name: "1d" }, now), { from: "2026-01-04T11:00:00.000Z" });
    const past = { from: at - 72 * hour, to: at - 24 * hour };
    assert.deepEqual(timeOf(past, now), { from: "2026-01-02T00:00:00.000Z", to: "2026-01-04T00:00:00.000Z" });
    assert.equal(partsOf(past, now).parts.at(-1)!.to, past.to);
    assert.deepEqual([rangeWords({ name: "7d" }), rangeWords(past)], ["7 days", "2d"]);
  });
});
