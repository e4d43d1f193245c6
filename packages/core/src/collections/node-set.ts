/**
 * A set of node numbers, iterated from the lowest: two levels of bits, so that one step skips up to a thousand absent
 * nodes. Equal sets iterate in the same order, which keeps decisions the same on any machine.
 */
export class NodeSet {
  #bits = new Uint32Array(32);
  /** One bit per word of `#bits`, set if the word is not 0. */
  #words = new Uint32Array(1);
  size = 0;

  add(node: number): void {
    const word = node >>> 5;
    if (word >= this.#bits.length) this.#grow(word + 1);
    const bit = 1 << (node & 31);
    if ((this.#bits[word]! & bit) !== 0) return;
    this.#bits[word]! |= bit;
    this.#words[word >>> 5]! |= 1 << (word & 31);
    this.size++;
  }

  delete(node: number): void {
    const word = node >>> 5;
    const bit = 1 << (node & 31);
    if (word >= this.#bits.length || (this.#bits[word]! & bit) === 0) return;
    this.#bits[word]! &= ~bit;
    if (this.#bits[word] === 0) this.#words[word >>> 5]! &= ~(1 << (word & 31));
    this.size--;
  }

  /** The lowest member from `from` on; -1 if there is none. */
  next(from: number): number {
    const word = from >>> 5;
    if (word >= this.#bits.length) return -1;
    const rest = this.#bits[word]! & (-1 << (from & 31));
    if (rest !== 0) return (word << 5) + lowestBit(rest);
    for (let group = (word + 1) >>> 5, mask = -1 << ((word + 1) & 31); group < this.#words.length; group++, mask = -1) {
      const words = this.#words[group]! & mask;
      if (words === 0) continue;
      const found = (group << 5) + lowestBit(words);
      return (found << 5) + lowestBit(this.#bits[found]!);
    }
    return -1;
  }

  #grow(words: number): void {
    const size = Math.max(words, this.#bits.length * 2);
    const bits = new Uint32Array(size);
    bits.set(this.#bits);
    this.#bits = bits;
    const summary = new Uint32Array((size + 31) >>> 5);
    summary.set(this.#words);
    this.#words = summary;
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
