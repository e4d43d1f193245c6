import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ariaSort,
  type Column,
  chosenColumns,
  firstLineOf,
  leastWidthOf,
  nextSort,
  ordered,
  sortAmong,
  toggledColumns,
} from "./column.ts";

const show = () => "";
const columns: readonly Column<{ name: string; gpus: number; micros: bigint }>[] = [
  { label: "Job", sort: "name", show },
  { label: "GPUs", number: true, show, by: ({ gpus }) => gpus },
  { label: "Spent", usual: false, show, by: ({ micros }) => micros },
  { label: "Name", usual: false, show, by: ({ name }) => name },
  { label: "Note", usual: false, show },
];

describe("the columns of a table", () => {
  it("leave the first line of two to states, and the rest of it to the name", () => {
    const [name, state] = [{ width: [160, 2] }, { width: [164, 1] }] as const;
    assert.deepEqual(firstLineOf([name, { below: true }, state]), [
      { flex: "2 1 0" },
      undefined,
      { flex: "1 1 0", minWidth: "min(164px, 55%)" },
    ]);
    const three = firstLineOf([name, state, { width: 80 }]).map((room) => room?.minWidth ?? room?.flex);
    assert.deepEqual(three, ["2 1 0", "min(164px, 36%)", "0 0 80px"]);
  });

  it("are the usual ones, or those that the address names", () => {
    const labels = (text: string) => chosenColumns(columns, text).map(({ label }) => label);
    assert.deepEqual(labels(""), ["Job", "GPUs"]);
    assert.equal(toggledColumns(columns, "", "Spent"), "Job~GPUs~Spent");
    assert.deepEqual(labels("Job~GPUs~Spent"), ["Job", "GPUs", "Spent"]);
    assert.equal(toggledColumns(columns, "Job~GPUs~Spent", "Spent"), "");
    assert.deepEqual(labels("nonsense"), ["Job", "GPUs"]);
  });

  it("are sorted one way, the other way, and as the list comes", () => {
    const [job, gpus] = columns as readonly Column<never>[];
    assert.deepEqual(
      [nextSort(job!, "", ""), nextSort(job!, "name", ""), nextSort(job!, "-name", "")],
      ["name", "-name", ""],
    );
    assert.equal(nextSort(gpus!, "", ""), "-GPUs", "numbers from the largest");
    assert.equal(nextSort(job!, "-name", "name"), "name", "the usual order is one of the two");
    assert.equal(nextSort(job!, "GPUs", "-submitted"), "name");
  });

  it("say how they are sorted, and take no order that none of them has", () => {
    const [job, gpus, , , note] = columns;
    assert.equal(ariaSort(job!, "-name"), "descending");
    assert.equal(ariaSort(gpus!, "-name"), "none");
    assert.equal(ariaSort(note!, "-name"), undefined);
    assert.deepEqual(
      ["-GPUs", "Note", "nonsense", ""].map((text) => sortAmong(columns, text)),
      ["-GPUs", "", "", ""],
    );
  });

  it("put a whole list in order: amounts of any size, and numbers in names as numbers", () => {
    const items = [
      { name: "gpu-10", gpus: 4, micros: 9_007_199_254_740_993n },
      { name: "gpu-9", gpus: 8, micros: 9_007_199_254_740_992n },
      { name: "gpu-1", gpus: 4, micros: -1n },
    ];
    const names = (sort: string) => ordered(items, columns, sort).map(({ name }) => name);
    assert.deepEqual(names("Name"), ["gpu-1", "gpu-9", "gpu-10"]);
    assert.deepEqual(names("-Spent"), ["gpu-10", "gpu-9", "gpu-1"]);
    assert.deepEqual(names("-GPUs"), ["gpu-9", "gpu-10", "gpu-1"], "equal ones stay as they were");
    assert.deepEqual(names("name"), ["gpu-10", "gpu-9", "gpu-1"], "the server has sorted by it");
  });

  it("have room beside the boxes that choose rows", () => {
    const sized = [{ width: 90 }, { width: [160, 2] }] as const;
    assert.equal(leastWidthOf(sized, false), 16 + 90 + 12 + 160 + 16);
    assert.equal(leastWidthOf(sized, true), 48 + 90 + 12 + 160 + 16);
  });
});
