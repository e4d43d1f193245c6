import assert from "node:assert/strict";
import test from "node:test";
import { stripVTControlCharacters } from "node:util";
import { readDuration, shortDuration } from "@tessera/wire/duration";
import type { Paint } from "../terminal.ts";
import { type Column, chooseColumns, refuseUnknown, sortItems } from "./column.ts";
import { csvOf } from "./emit.ts";
import { asksForJson, parseFormat } from "./format.ts";
import { amountsText, bar, memoryText } from "./gpus.ts";
import { renderTable } from "./table.ts";
import { ageText } from "./time.ts";
import { truncate, widthOf } from "./width.ts";

interface Item {
  readonly name: string;
  readonly gpus: number;
  readonly text: string;
}
const columns: readonly Column<Item>[] = [
  { name: "name", text: ({ name }) => name },
  { name: "gpus", text: ({ gpus }) => String(gpus), raw: ({ gpus }) => gpus, right: true },
  { name: "text", text: ({ text }) => text, shrinks: true },
  { name: "extra", text: () => "more", wide: true },
];
const items: readonly Item[] = [
  { name: "b", gpus: 10, text: "short" },
  { name: "a-long-name", gpus: 9, text: "a text that is rather long for a terminal" },
];
const plain: Paint = (_style, text) => text;
const usual = chooseColumns(columns, undefined, false);

test("a table has aligned columns, numbers at the right, and no spaces at the ends of lines", () => {
  assert.equal(
    renderTable(usual, items, { headers: true, paint: plain, now: 0 }),
    [
      "NAME         GPUS  TEXT",
      "b              10  short",
      "a-long-name     9  a text that is rather long for a terminal",
      "",
    ].join("\n"),
  );
});

test("a table fits the terminal: the long column is cut with …, never wrapped", () => {
  const lines = renderTable(usual, items, { headers: false, paint: plain, now: 0, width: 30 }).trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => line.length <= 30),
    [true, true],
  );
  assert.match(lines[1]!, /a text that…$/);
});

test("what can be left out is left out before anything is cut, unless it was asked for by name", () => {
  const dropping = [...usual, { name: "id", text: () => "x".repeat(20), drops: true }];
  const options = { headers: true, paint: plain, now: 0, width: 40 };
  assert.ok(!renderTable(dropping, [items[0]!, { ...items[0]!, text: "x".repeat(10) }], options).includes("ID"));
  assert.ok(renderTable(dropping, [items[0]!], { ...options, width: 60 }).includes("ID"));
  assert.ok(
    renderTable(chooseColumns(dropping, "id,text", false), [items[0]!], { ...options, width: 22 }).includes("ID"),
  );
});

test("what comes from elsewhere cannot draw on the terminal", () => {
  const hostile = [{ name: "x\u001b[2Jy\nz", gpus: 1, text: "\u202ereversed" }];
  const table = renderTable(usual, hostile, { headers: false, paint: plain, now: 0 });
  assert.equal(table, stripVTControlCharacters(table));
  assert.equal(table.split("\n").length, 2);
  assert.ok(!table.includes("\u202e"));
});

test("wide characters take two columns", () => {
  assert.equal(widthOf("日本"), 4);
  assert.equal(truncate("日本語", 4), "日…");
  assert.deepEqual(["👩‍🚀", "🇩🇪", "e\u0301"].map(widthOf), [2, 2, 1]);
  assert.equal(truncate("👩‍🚀👩‍🚀👩‍🚀", 5), "👩‍🚀👩‍🚀…");
});

test("columns are chosen by name or by any field, and sorted as numbers where they are numbers", () => {
  assert.deepEqual(
    chooseColumns(columns, "extra, gpus", false).map(({ name }) => name),
    ["extra", "gpus"],
  );
  assert.deepEqual(
    sortItems(items, columns, "gpus").map(({ gpus }) => gpus),
    [9, 10],
  );
  assert.deepEqual(
    sortItems(items, columns, "-name").map(({ name }) => name),
    ["b", "a-long-name"],
  );
  const [field] = chooseColumns(columns, "text", false);
  assert.equal(field?.text(items[0]!, 0), "short");
});

test("an unknown column is refused with the nearest name", () => {
  const known = ["name", "gpus", "text", "endedAt"];
  const refused = (asked: string) => () => refuseUnknown("--columns", asked, columns, known);
  assert.throws(refused("nmae"), /--columns: there is no "nmae"/);
  assert.throws(refused("foo"), /there is no "foo"/);
  assert.throws(() => refuseUnknown("--sort-by", "-foo", columns, known), /--sort-by: there is no "foo"/);
  assert.doesNotThrow(refused("name,endedAt,text.deep"));
});

test("csv quotes what needs it and gives exact values", () => {
  const rows = [{ name: 'say "hi", all', gpus: 2, text: "a\nb" }];
  assert.equal(csvOf(usual, rows, true, 0), 'name,gpus,text\n"say ""hi"", all",2,"a\nb"\n');
});

test("durations are read and written", () => {
  assert.equal(shortDuration(500), "500ms");
  assert.equal(shortDuration(192_000), "3m12s");
  assert.equal(shortDuration(3_600_000), "1h");
  assert.equal(shortDuration(273_600_000), "3d4h");
  assert.equal(ageText("2026-11-15T10:00:00.000Z", Date.parse("2026-11-15T10:05:00.000Z")), "5m");
  assert.equal(readDuration("2h30m"), 9_000_000);
  assert.equal(readDuration("1.5h"), undefined);
  assert.equal(readDuration(""), undefined);
});

test("amounts of GPUs read as people say them", () => {
  assert.equal(amountsText({ H100: 4, "*": 2 }), "4 H100 + 2 any");
  assert.equal(amountsText({ "*": 0.25 }), "0.25");
  assert.equal(amountsText({}), "0");
  assert.equal(amountsText(undefined), "-");
  assert.equal(memoryText(81_920), "80 GiB");
});

test("a bar is as long as it says, and shows also the smallest part", () => {
  const drawn = bar(
    [
      { amount: 1, style: "green" },
      { amount: 500, style: "yellow", mark: "▓" },
    ],
    1_000,
    10,
    plain,
  );
  assert.equal(drawn, "█▓▓▓▓░░░░░");
  assert.equal(bar([{ amount: 8, style: "green" }], 8, 4, plain), "████");
  assert.equal(bar([{ amount: 0, style: "green" }], 0, 4, plain), "░░░░");
});

test("the format is found before the arguments are parsed, and a wrong one is refused with the nearest", () => {
  assert.ok(asksForJson(["ps", "-o", "json"]));
  assert.ok(asksForJson(["ps", "--output=json"]));
  assert.ok(asksForJson(["ps", "-ojson"]));
  assert.ok(asksForJson(["--json", "ps"]));
  assert.ok(!asksForJson(["run", "--", "tool", "--json"]));
  assert.throws(() => parseFormat("jsno"), /did you mean json/);
});
