import assert from "node:assert/strict";
import { it } from "node:test";
import { diceOf } from "../testing/dice.ts";
import { NodeIndex } from "./node-index.ts";
import { SparseIndex } from "./sparse-index.ts";

it("finds the same numbers as a dense index after random changes", () => {
  const sparse = new SparseIndex();
  const dense = new NodeIndex();
  const roll = diceOf(7);
  for (let step = 0; step < 4_000; step++) {
    const no = roll(20) * 63 + roll(3);
    if (roll(2) === 0) {
      sparse.delete(no);
      dense.delete(no);
    } else {
      const [cpus, memory] = [roll(10) - 1, roll(10) - 1];
      sparse.set(no, cpus, memory);
      dense.set(no, cpus, memory);
    }
    const [from, cpus, memory] = [roll(1_300), roll(10), roll(10)];
    assert.equal(sparse.next(from, cpus, memory), dense.next(from, cpus, memory));
    assert.equal(sparse.next(from), dense.next(from));
    assert.equal(sparse.size, dense.size);
  }
});
