import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Job } from "@tessera/wire";
import { meanings } from "../../design/meanings.ts";
import { countsOf, rowsOf } from "./element-counts.ts";

const ended = (outcome: string) => ({ state: "ended", outcome, held: false }) as Job;

describe("the elements of an array", () => {
  const outcomes = Object.keys(meanings.outcome);
  const waiting = { state: "waiting", held: false, array: { id: "job_a", index: 7 } } as Job;
  const elements = [waiting, ...outcomes.map(ended), ended("failed"), { ...waiting, held: true }];

  it("are counted by outcome and state, and each of these has a colour of its own", () => {
    const counts = countsOf(elements);
    assert.deepEqual(
      counts.map(({ word, many }) => [word, many]),
      [...outcomes.map((word) => [word, word === "failed" ? 2 : 1]), ["waiting", 1], ["held", 1]],
    );
    assert.equal(new Set(counts.map(({ hue }) => hue)).size, counts.length);
  });

  it("are a file with a row for each", () => {
    const rows = rowsOf(elements);
    assert.equal(rows.length, elements.length);
    assert.deepEqual([rows[0]!.element, rows[0]!.state], [7, "waiting"]);
  });
});
