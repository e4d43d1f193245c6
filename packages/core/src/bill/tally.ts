/** Above this a number is put away, so that the next one still fits exactly. */
const spillAt = 2 ** 52;

/** A sum of whole numbers below 2^52 that may itself grow beyond 2^53; as quick as a number, as exact as a BigInt. */
export class Tally {
  #low = 0;
  #high = 0n;

  add(amount: number): void {
    this.#low += amount;
    if (this.#low >= spillAt) {
      this.#high += BigInt(this.#low);
      this.#low = 0;
    }
  }

  /** Adds a product of whole numbers, which may be larger. */
  addProduct(a: number, b: number): void {
    if (a * b < spillAt) this.add(a * b);
    else this.#high += BigInt(a) * BigInt(b);
  }

  /** What came together. */
  get sum(): bigint {
    return this.#high + BigInt(this.#low);
  }

  /** What came together; nothing is left. */
  take(): bigint {
    const { sum } = this;
    this.clear();
    return sum;
  }

  clear(): void {
    this.#high = 0n;
    this.#low = 0;
  }

  /** Adds what came together in another. */
  addAll(other: Tally): void {
    this.add(other.#low);
    if (other.#high !== 0n) this.#high += other.#high;
  }

  get isEmpty(): boolean {
    return this.#low === 0 && this.#high === 0n;
  }
}
