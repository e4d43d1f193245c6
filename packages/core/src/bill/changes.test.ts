import assert from "node:assert/strict";
import { it } from "node:test";
import { hour } from "../model/units.ts";
import { Changes } from "./changes.ts";

it("changes come out by time, each once, also those given after a part of their hour was taken", () => {
  const from = 1_000 * hour + 77;
  const changes = new Changes(from);
  const taken: [number, number][] = [];
  const take = (to: number) =>
    changes.takeBefore(to, (within, no) => void taken.push([Math.floor((to - 1) / hour) * hour + within - from, no]));
  for (let no = 599; no >= 0; no--) changes.put(from + no * 1_000, no);
  changes.put(from + 2 * hour, 7);
  take(from + 300_000);
  assert.deepEqual(
    taken,
    Array.from({ length: 300 }, (_, no) => [no * 1_000, no]),
  );
  taken.length = 0;
  changes.put(from + 300_500, 2_000_000_000);
  take(1_001 * hour);
  assert.deepEqual(taken.slice(0, 3), [
    [300_000, 300],
    [300_500, 2_000_000_000],
    [301_000, 301],
  ]);
  assert.equal(taken.length, 301);
  take(1_002 * hour);
  assert.equal(taken.length, 301, "nothing was given for this hour");
  take(1_003 * hour);
  assert.deepEqual(taken.at(-1), [2 * hour, 7]);
});
