const pageBits = 6;
const pageLength = 1 << pageBits;

/** The values of 64 consecutive numbers. */
class Page<Value> {
  readonly values: (Value | undefined)[] = Array(pageLength).fill(undefined);
  count = 0;
}

/**
 * Values by numbers that are given out in sequence, such as job numbers: found without hashing, and listed in order.
 * An empty page is dropped, so that memory follows the live values.
 */
export class ByNumber<No extends number, Value> {
  readonly #pages: (Page<Value> | undefined)[] = [];
  size = 0;

  get(no: No): Value | undefined {
    return this.#pages[no >>> pageBits]?.values[no & (pageLength - 1)];
  }

  has(no: No): boolean {
    return this.get(no) !== undefined;
  }

  set(no: No, value: Value): void {
    if (no < 0) throw new Error(`Bug: ${no} is not a number given out`);
    const at = no >>> pageBits;
    while (this.#pages.length <= at) this.#pages.push(undefined);
    const page = this.#pages[at] ?? new Page();
    this.#pages[at] = page;
    if (page.values[no & (pageLength - 1)] === undefined) {
      page.count++;
      this.size++;
    }
    page.values[no & (pageLength - 1)] = value;
  }

  delete(no: No): void {
    const page = this.#pages[no >>> pageBits];
    if (page?.values[no & (pageLength - 1)] === undefined) return;
    page.values[no & (pageLength - 1)] = undefined;
    page.count--;
    this.size--;
    if (page.count === 0) this.#pages[no >>> pageBits] = undefined;
  }

  *values(): Generator<Value> {
    for (const page of this.#pages) {
      if (page === undefined) continue;
      for (const value of page.values) if (value !== undefined) yield value;
    }
  }
}
