import assert from "node:assert/strict";
import { it } from "node:test";
import { NodeIndex } from "./node-index.ts";
import { SparseIndex } from "./sparse-index.ts";

it("finds the same numbers as a dense index after random changes", () => {
  const sparse = new SparseIndex();
  const dense = new NodeIndex();
  let last = 7;
  /** A linear congruential generator: the same numbers in each run. */
  const below = (end: number) => {
    last = (Math.imul(last, 1_103_515_245) + 12_345) >>> 0;
    return (last >>> 8) % end;
  };
  for (let step = 0; step < 4_000; step++) {
    const no = below(20) * 63 + below(3);
    if (below(2) === 0) {
      sparse.delete(no);
      dense.delete(no);
    } else {
      const [cpus, memory] = [below(10) - 1, below(10) - 1];
      sparse.set(no, cpus, memory);
      dense.set(no, cpus, memory);
    }
    const [from, cpus, memory] = [below(1_300), below(10), below(10)];
    assert.equal(sparse.next(from, cpus, memory), dense.next(from, cpus, memory));
    assert.equal(sparse.next(from), dense.next(from));
    assert.equal(sparse.size, dense.size);
  }
});
