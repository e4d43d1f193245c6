import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diceOf } from "../testing/dice.ts";
import { Heap, type Placed } from "./heap.ts";

interface Entry extends Placed {
  rank: number;
}

const heapByRank = () => new Heap<Entry>((a, b) => a.rank < b.rank);

describe("a heap", () => {
  it("has the first entry on top after random additions, changes and deletions", () => {
    const heap = heapByRank();
    const live = new Set<Entry>();
    const entries = Array.from({ length: 60 }, (): Entry => ({ place: -1, rank: 0 }));
    const roll = diceOf(5);
    for (let step = 0; step < 4_000; step++) {
      const entry = entries[roll(entries.length)]!;
      if (step % 3 === 0) {
        heap.delete(entry);
        live.delete(entry);
      } else {
        // A fraction per step keeps the ranks distinct, as the order must be strict.
        entry.rank = roll(1_000) + step / 4_000;
        heap.update(entry);
        live.add(entry);
      }
      const first = [...live].sort((a, b) => a.rank - b.rank)[0];
      assert.equal(heap.first, first);
    }
  });

  it("refuses an entry of another heap", () => {
    const [one, two] = [heapByRank(), heapByRank()];
    const [entry, other] = [
      { place: -1, rank: 1 },
      { place: -1, rank: 2 },
    ];
    one.update(entry);
    assert.throws(() => two.update(entry), /in another heap/);
    two.update(other);
    assert.throws(() => two.delete(entry), /in another heap/);
  });
});
