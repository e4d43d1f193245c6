/**
 * Divides whole units among claimants by weight, largest remainder first. Made for the rater's inner loop: the columns
 * are used again for every division, and nothing is allocated.
 */
export class Apportion {
  count = 0;
  /** Sum of the weights. */
  weight = 0;
  #ids = new Int32Array(16);
  #weights: Float64Array = new Float64Array(16);
  #limits: Float64Array = new Float64Array(16);
  #parts: Float64Array = new Float64Array(16);
  #remainders: Float64Array = new Float64Array(16);

  /** Removes all claimants and makes room for `capacity` new ones. */
  clear(capacity: number): void {
    this.count = 0;
    this.weight = 0;
    if (capacity > this.#ids.length) this.#grow(2 * capacity);
  }

  /** `limit` is the most that this claimant can get. */
  add(id: number, weight: number, limit: number): void {
    const no = this.count++;
    this.#ids[no] = id;
    this.#weights[no] = weight;
    this.#limits[no] = limit;
    this.weight += weight;
  }

  /** The id under which the claimant was added. */
  id(no: number): number {
    return this.#ids[no]!;
  }

  part(no: number): number {
    return this.#parts[no]!;
  }

  /** Divides by weight. Where the weights add up to less than `units` (an overcommitted floor), divides by limit. */
  divide(units: number): void {
    const weights = this.weight >= units ? this.#weights : this.#limits;
    const [count, parts, remainders] = [this.count, this.#parts, this.#remainders];
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[i]!;
    let left = units;
    for (let i = 0; i < count; i++) {
      const weight = weights[i]!;
      parts[i] = 0;
      remainders[i] = -1;
      if (weight === 0 || units === 0) continue;
      const product = units * weight;
      if (product <= Number.MAX_SAFE_INTEGER) {
        parts[i] = Math.floor(product / sum);
        remainders[i] = product - parts[i]! * sum;
      } else {
        const exact = BigInt(units) * BigInt(weight);
        parts[i] = Number(exact / BigInt(sum));
        remainders[i] = Number(exact % BigInt(sum));
      }
      left -= parts[i]!;
    }
    // Fewer units are left than there are claimants: one each to the largest remainders, the first of equals.
    for (; left > 0; left--) {
      let largest = 0;
      for (let i = 1; i < count; i++) if (remainders[i]! > remainders[largest]!) largest = i;
      parts[largest]!++;
      remainders[largest] = -1;
    }
  }

  #grow(capacity: number): void {
    this.#ids = new Int32Array(capacity);
    this.#weights = new Float64Array(capacity);
    this.#limits = new Float64Array(capacity);
    this.#parts = new Float64Array(capacity);
    this.#remainders = new Float64Array(capacity);
  }
}
