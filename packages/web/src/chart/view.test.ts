import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeriesView } from "@tessera/wire";
import { lookOfHue, looksOfNames } from "./colours.ts";
import { pathOf, sharesOf } from "./sparkline.tsx";
import {
  type ChartView,
  chosenText,
  columnsOf,
  compared,
  drawnLines,
  fewer,
  isCrowded,
  isEmpty,
  joined,
  leftOutText,
  narrowed,
  newestStep,
  sentenceOf,
  tableOf,
  textIn,
  totalAt,
  valuesAt,
  valueText,
} from "./view.ts";

const minute = 60_000;

function answer(key: string, values: (number | null)[], from = 0): SeriesView {
  return {
    metric: "allocated",
    unit: "GPUs",
    by: "class",
    from,
    to: from + values.length * minute,
    stepMs: minute,
    times: values.map((_, step) => from + step * minute),
    series: [{ key, label: key, values }],
    leftOut: 0,
  };
}

describe("a chart", () => {
  it("joins answers whose steps begin at different instants, and leaves gaps where nothing is known", () => {
    const view = joined([
      { view: answer("a", [1, 2]) },
      { view: { ...answer("", [5, 6], minute), metric: "idle", by: "none" }, name: "idle" },
    ])!;
    assert.deepEqual(columnsOf(view, "lines"), [
      [0, 60, 120],
      [1, 2, null],
      [null, 5, 6],
    ]);
    assert.deepEqual(
      view.lines.map(({ label, colour }) => [label, colour]),
      [
        ["a", looksOfNames(["a"]).get("a")!.colour],
        ["idle", lookOfHue("grey").colour],
      ],
    );
    assert.deepEqual([view.from, view.to, newestStep(view), isEmpty(view)], [0, 3 * minute, 2, false]);
  });

  it("leaves out a line of which nothing is known, unless nothing is known at all", () => {
    const parts = [{ view: answer("used", [1, 2]) }, { view: answer("max", [null, null]) }];
    assert.deepEqual(
      joined(parts)!.lines.map(({ key }) => key),
      ["used"],
    );
    assert.equal(isEmpty(joined(parts.slice(1))!), true);
  });

  it("stacks lines: each is drawn on what is below it, the highest first", () => {
    const view = joined([{ view: answer("guaranteed", [1, 2, null]) }, { view: answer("burst", [10, null, null]) }])!;
    assert.deepEqual(columnsOf(view, "stack").slice(1), [
      [11, 2, null],
      [1, 2, null],
    ]);
    assert.deepEqual(
      drawnLines(view, "stack").map(({ key }) => key),
      ["burst", "guaranteed"],
    );
    assert.deepEqual([totalAt(view, 0), totalAt(view, 1), totalAt(view, 2)], [11, 2, null]);
  });

  it("has guaranteed below burst, whichever is more", () => {
    const both = answer("burst", [10]);
    const series = [...both.series, { key: "guaranteed", label: "guaranteed", values: [1] }];
    const view = joined([{ view: { ...both, series } }])!;
    assert.deepEqual(
      view.lines.map(({ key }) => key),
      ["guaranteed", "burst"],
    );
  });

  it("draws the period before where this one is, and never counts it in", () => {
    const length = 2 * minute;
    const now = joined([{ view: answer("a", [1, 2], 10 * minute) }])!;
    const before = joined([{ view: answer("a", [7, 8], 8 * minute) }])!;
    const lines = compared(now, before, "lines", length);
    assert.deepEqual(lines.lines[1]!.values, [7, 8]);
    assert.deepEqual([lines.lines[1]!.ghost, lines.lines[1]!.colour], [true, lines.lines[0]!.colour]);
    const late = compared({ ...now, from: now.from + minute }, before, "lines", length);
    assert.deepEqual(late.lines[1]!.values, [7, 8], "what was before stays in place while what is now moves on");
    const none = compared(now, { ...before, lines: [] }, "bars", length);
    assert.deepEqual(none.lines.at(-1)!.values, [0, 0], "nothing before is 0, and known");
    const coarser = { ...before, stepMs: 2 * minute };
    assert.equal(compared(now, coarser, "stack", length), now, "sums of other lengths are not compared");
    const gone = joined([{ view: answer("gone", [7, 8], 8 * minute) }])!;
    assert.equal(compared(now, gone, "lines", length).lines.length, 1, "what is not shown now is not shown before");
    const stack = compared(now, before, "stack", length);
    assert.deepEqual(columnsOf(stack, "stack").slice(1), [
      [1, 2],
      [7, 8],
    ]);
    assert.equal(totalAt(stack, 0), 1);
    assert.equal(compared(now, undefined, "stack", length), now);
  });

  it("keeps as many accounts as there are colours; a stack is as high as before, lines say how many are left out", () => {
    const series = Array.from({ length: 11 }, (_, no) => ({ key: `a${no}`, label: `a${no}`, values: [no + 1] }));
    const held = { key: "guaranteed", label: "guaranteed", values: [1] };
    const view = joined([{ view: { ...answer("a", [0]), series: [...series, held] } }])!;
    const stack = fewer(view, "stack");
    assert.deepEqual(
      stack.lines.map(({ label }) => label),
      ["guaranteed", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "3 others"],
    );
    assert.deepEqual(stack.lines.at(-1)!.values, [1 + 2 + 3]);
    assert.equal(totalAt(stack, 0), totalAt(view, 0));
    const accounts = fewer({ ...view, lines: view.lines.slice(1) }, "stack");
    assert.equal(new Set(accounts.lines.map(({ colour }) => colour)).size, 9, "each has a colour of its own");
    const lines = fewer(view, "lines");
    assert.deepEqual([lines.lines.length, lines.hidden, view.lines.length], [9, 3, 12]);
    assert.equal(leftOutText({ ...lines, leftOut: 2 }), "and 3 more lines in the table; 2 smaller lines left out");
    assert.equal(fewer(joined([{ view: answer("a", [1]) }])!, "stack").lines.length, 1);
  });

  it("draws the lines that have values rather than those that reach highest once, or those that are named", () => {
    const series = Array.from({ length: 10 }, (_, no) => ({
      ...{ key: `team-${no}`, label: `team-${no}` },
      values: no < 2 ? [null, 100 + no, null] : [no, no, no],
    }));
    const one = answer("a", [0, 0, 0]);
    const now = joined([{ view: { ...one, series } }])!;
    const view = compared(now, joined([{ view: { ...one, series } }])!, "lines", 0);
    const keys = (chart: ChartView) => chart.lines.map(({ key }) => key);
    assert.equal(isCrowded(view), true);
    const drawn = keys(fewer(view, "lines"));
    assert.equal(drawn.length, 16, "with their periods before");
    assert.ok(!drawn.some((key) => key.startsWith("team-0") || key.startsWith("team-1")), drawn.join());
    assert.deepEqual(keys(fewer(view, "lines", " Team-1")), ["team-1", "team-1 before"]);
    assert.deepEqual(keys(narrowed(view, "team-1")), ["team-1", "team-1 before"]);
    const stack = fewer(now, "stack", "team-1");
    assert.deepEqual([stack.lines.length, totalAt(stack, 1)], [2, totalAt(now, 1)]);
  });

  it("holds a sample until the next is due; of waits it says that nothing started", () => {
    const busy = { ...answer("", [3, null, 5, null, 7, null]), metric: "busy" as const, by: "none" as const };
    const held = { ...answer("a", [1, 1, 1, 1, 1, null]) };
    const over = joined([{ view: held }, { view: busy, name: "busy", over: true }])!;
    assert.deepEqual(
      [3, 5].map((step) => valuesAt(over, "stack", step)),
      [
        [1, 5],
        [null, 7],
      ],
    );
    const waits = joined([{ view: { ...answer("a", [60, null, 60, null, 60]), metric: "wait_p50", unit: "s" } }])!;
    assert.deepEqual(valuesAt(waits, "lines", 1), [null]);
    assert.deepEqual(columnsOf(waits, "lines")[1], [60, null, 60, null, 60]);
    assert.deepEqual([textIn(waits, 0, 60), textIn(waits, 1, null)], ["about 1 min", "none started"]);
    assert.equal(textIn({ ...waits, knownTo: minute }, 1, null), "not known");
  });

  it("says 0, what is not known, and waits, in words and in a file", () => {
    assert.equal(valueText(0, "%"), "0 %");
    assert.equal(valueText(null, "%"), "not known");
    assert.equal(valueText(99.999, "%"), "100 %");
    assert.equal(valueText(84_960, "s"), "about 24 h");
    assert.equal(valueText(1_234.5, "EUR"), "1,234.50 EUR");
    const view = joined([{ view: answer("a", [1, null]) }])!;
    assert.deepEqual(tableOf(view), [
      { from: "1970-01-01T00:00:00.000Z", "a (GPUs)": "1" },
      { from: "1970-01-01T00:01:00.000Z", "a (GPUs)": "" },
    ]);
  });

  it("stacks credits downwards from zero: they hide nothing, and count in the sum", () => {
    const view = joined([
      { view: answer("a", [5, -1]) },
      { view: answer("b", [-2, -3]) },
      { view: answer("c", [4, null]) },
    ])!;
    assert.deepEqual(columnsOf(view, "bars").slice(1), [
      [9, null],
      [-2, -4],
      [5, -1],
    ]);
    assert.deepEqual([totalAt(view, 0), totalAt(view, 1)], [7, -4]);
  });

  it("draws a line over a stack without adding it", () => {
    const busy: SeriesView = { ...answer("", [3, 4]), metric: "activity", by: "none" };
    const view = joined([{ view: answer("guaranteed", [5, 6]) }, { view: busy, name: "busy", over: true }])!;
    assert.deepEqual(columnsOf(view, "stack").slice(1), [
      [5, 6],
      [3, 4],
    ]);
    assert.equal(totalAt(view, 0), 5);
    assert.deepEqual(
      drawnLines(view, "stack").map(({ label }) => label),
      ["guaranteed", "busy"],
    );
  });

  it("draws micros as the currency, and the day that is under way as wide as the others", () => {
    const day = 86_400_000;
    const spend: SeriesView = {
      ...{ metric: "spend", unit: "micros", currency: "EUR", by: "model", leftOut: 0 },
      ...{ from: 0, to: day + 1_000, stepMs: day, times: [0, day] },
      series: [{ key: "", label: "no GPU", values: [12_345_678, -400_000] }],
    };
    const view = joined([{ view: spend }])!;
    assert.deepEqual([view.unit, view.to, view.lines[0]!.label], ["EUR", 2 * day, "no GPU"]);
    assert.deepEqual(view.lines[0]!.values, [12.35, -0.4]);
  });

  it("takes one line of an answer as that of all: a model against its limits, the second limit dashed", () => {
    const of = (metric: SeriesView["metric"], key: string, value: number) => ({
      ...answer(key, [value]),
      metric,
      by: "model" as const,
    });
    const held = of("allocated", "H100", 8);
    const both = { ...held, series: [...held.series, { key: "A100", label: "A100", values: [1] }] };
    const view = joined([
      { view: both, only: "H100", name: "used" },
      { view: of("max", "H100", 24), only: "H100", name: "most allowed" },
      { view: of("max", "*", 30), only: "*", name: "most allowed, all models" },
      { view: of("guarantee", "A100", 2), only: "H100", name: "guarantee" },
    ])!;
    assert.deepEqual(
      view.lines.map(({ label, values }) => [label, values]),
      [
        ["used", [8]],
        ["most allowed", [24]],
        ["most allowed, all models", [30]],
      ],
    );
    assert.equal(view.lines[1]!.colour, view.lines[2]!.colour);
    assert.notDeepEqual(view.lines[1]!.dash, view.lines[2]!.dash);
  });

  it("says which ranks are shown where they are too many, and how many smaller lines are left out", () => {
    const of = (by: SeriesView["by"], leftOut: number) =>
      leftOutText(joined([{ view: { ...answer("0", [1]), by, leftOut } }])!);
    assert.equal(of("rank", 3), "1 of 4 ranks: those that did most and least");
    assert.equal(of("account", 3), "and 3 smaller lines");
    assert.equal(of("rank", 0), undefined);
  });

  it("is said in a sentence, and so is the time that is chosen with the keys", () => {
    const view = joined([{ view: answer("guaranteed", [5, null]) }, { view: answer("burst", [1, 2]) }])!;
    assert.match(sentenceOf(view, "stack", 1), /^.*\d\d:01: guaranteed not known, burst 2 GPUs$/);
    assert.match(chosenText(view, 1, 0), /\d\d:00 to .*\d\d:02 is chosen; Enter zooms, Escape drops it$/);
  });

  it("draws a small line of a share, with gaps where there is nothing to share", () => {
    assert.deepEqual(sharesOf([5, 0, null, 3], [20, 10, 10, 0]), [25, 0, null, null]);
    assert.equal(pathOf([0, null, 10], 10), "M0.0 27.0h0M120.0 1.0h0");
  });
});
