import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chosenColumns, toggledColumns } from "./columns.ts";
import { keysBetween } from "./selection.ts";
import { steadied } from "./steady.ts";

describe("a table", () => {
  const keyOf = (item: string) => item.slice(0, 1);

  it("chooses all rows between two", () => {
    assert.deepEqual(keysBetween(["a", "b", "c", "d"], "d", "b"), ["b", "c", "d"]);
    assert.deepEqual(keysBetween(["a"], "gone", "a"), ["a"]);
  });

  it("keeps its rows where they are, changed or gone, and counts what is new above them", () => {
    const { rows, fresh } = steadied(["x1", "y1", "b2", "a1", "d1"], keyOf, ["a", "b", "c"]);
    assert.deepEqual(rows, ["a1", "b2", "d1"]);
    assert.equal(fresh, 2);
  });

  it("remembers which columns are shown, and shows the usual ones where nothing else is said", () => {
    const columns = [{ label: "Job" }, { label: "GPUs" }, { label: "Cost", usual: false }];
    const labels = (text: string) => chosenColumns(columns, text).map(({ label }) => label);
    assert.deepEqual(labels(""), ["Job", "GPUs"]);
    assert.equal(toggledColumns(columns, "", "Cost"), "Job~GPUs~Cost");
    assert.deepEqual(labels("Job~GPUs~Cost"), ["Job", "GPUs", "Cost"]);
    assert.equal(toggledColumns(columns, "Job~GPUs~Cost", "Cost"), "");
    assert.deepEqual(labels("nonsense"), ["Job", "GPUs"]);
  });
});
