import assert from "node:assert/strict";
import { it } from "node:test";
import type { LogEntry } from "@tessera/wire";
import { nextLine } from "./log-search.ts";

const line = (at: number, text: string): LogEntry => ({
  at: new Date(at).toISOString(),
  rank: 0,
  stream: "stdout",
  text,
});

it("the next line that is looked for follows the marked one, also one that is hidden", () => {
  const lines = [line(1, "a"), line(2, "b"), line(3, "a"), line(4, "b"), line(5, "a")];
  const isA = ({ text }: LogEntry) => text === "a";
  const next = (marked: LogEntry | undefined, step: 1 | -1, among = lines) =>
    among.indexOf(nextLine(among, marked, step, isA)!);
  assert.equal(next(undefined, 1), 0);
  assert.equal(next(undefined, -1), 4);
  assert.equal(next(lines[0], 1), 2);
  assert.equal(next(lines[4], -1), 2);
  assert.equal(next(lines[4], 1), -1);
  assert.equal(next(lines[0], -1), -1);
  const onlyA = lines.filter(isA);
  assert.equal(next(lines[3], 1, onlyA), 2);
  assert.equal(next(lines[3], -1, onlyA), 1);
});
