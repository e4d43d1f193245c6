import { hour, type Instant } from "../model/units.ts";
import { fitting } from "./wide.ts";

/** A change is one number: its millisecond within the hour (below 2^22) times 2^31, plus its own number. Below 2^53. */
const numbers = 2 ** 31;

/** The changes of one hour; sorting the numbers sorts them by time. */
interface Bucket {
  changes: Float64Array;
  count: number;
}

/** A queue of numbered changes: put in any order, taken out by time, and at one instant by number. */
export class Changes {
  readonly #firstHour: number;
  readonly #hours: (Bucket | undefined)[] = [];
  /** Empty buckets for reuse. */
  readonly #spare: Bucket[] = [];

  constructor(from: Instant) {
    this.#firstHour = Math.floor(from / hour);
  }

  put(at: Instant, no: number): void {
    const hourNo = Math.floor(at / hour);
    const bucket = this.#bucket(hourNo - this.#firstHour);
    if (bucket.count === bucket.changes.length) bucket.changes = fitting(bucket.changes, 2 * bucket.count);
    bucket.changes[bucket.count++] = (at - hourNo * hour) * numbers + no;
  }

  #bucket(place: number): Bucket {
    while (this.#hours.length <= place) this.#hours.push(undefined);
    this.#hours[place] ??= this.#spare.pop() ?? { changes: new Float64Array(256), count: 0 };
    return this.#hours[place];
  }

  /**
   * Takes out everything before `to` in order of time. `to` must be in the hour of the next change or at its end; times
   * are given as milliseconds within that hour.
   */
  takeBefore(to: Instant, see: (withinHour: number, no: number) => void): void {
    const place = Math.ceil(to / hour) - 1 - this.#firstHour;
    const bucket = this.#hours[place];
    if (bucket === undefined) return;
    const { changes, count } = bucket;
    changes.subarray(0, count).sort();
    const end = (to - (this.#firstHour + place) * hour) * numbers;
    let taken = 0;
    for (; taken < count && changes[taken]! < end; taken++) {
      const change = changes[taken]!;
      const within = Math.floor(change / numbers);
      see(within, change - within * numbers);
    }
    changes.copyWithin(0, taken, count);
    bucket.count -= taken;
    if (bucket.count > 0) return;
    this.#hours[place] = undefined;
    this.#spare.push(bucket);
  }
}
