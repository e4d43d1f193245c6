import { hour, type Instant } from "../model/units.ts";

/** Changes that lie ahead, given in any order and taken out by time; what is of one instant comes as it was given. */
export class Changes<What> {
  readonly #hours = new Map<number, { readonly at: number[]; readonly what: What[]; readonly ends: boolean[] }>();

  /** `ends` tells the end of what lasts from its beginning; both are given, as two changes. */
  put(at: Instant, what: What, ends: boolean): void {
    const no = Math.floor(at / hour);
    let bucket = this.#hours.get(no);
    if (bucket === undefined) {
      bucket = { at: [], what: [], ends: [] };
      this.#hours.set(no, bucket);
    }
    bucket.at.push(at);
    bucket.what.push(what);
    bucket.ends.push(ends);
  }

  /** Takes out and shows, by time, everything before `to`. */
  takeBefore(to: Instant, see: (at: Instant, what: What, ends: boolean) => void): void {
    const due = [...this.#hours.keys()].filter((no) => no * hour < to).sort((a, b) => a - b);
    for (const no of due) {
      const { at, what, ends } = this.#hours.get(no)!;
      this.#hours.delete(no);
      // Time within the hour and place in the bucket in one number: sorting numbers is several times faster.
      const order = new Float64Array(at.length);
      for (let i = 0; i < at.length; i++) order[i] = (at[i]! - no * hour) * places + i;
      order.sort();
      for (const key of order) {
        const i = key % places;
        if (at[i]! < to) see(at[i]!, what[i]!, ends[i]!);
        else this.put(at[i]!, what[i]!, ends[i]!);
      }
    }
  }
}

/** More changes in an hour than any fleet makes; the milliseconds of an hour times this stay below 2^53. */
const places = 2 ** 31;
