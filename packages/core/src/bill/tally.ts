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

  /** What came together; nothing is left. */
  take(): bigint {
    const sum = this.#high + BigInt(this.#low);
    this.#high = 0n;
    this.#low = 0;
    return sum;
  }

  get isEmpty(): boolean {
    return this.#low === 0 && this.#high === 0n;
  }
}
