import { hour, type Instant } from "../model/units.ts";
import { fitting } from "./wide.ts";

/** Of a change: time within its hour times this, and its number. 2^22 milliseconds x 2^31 numbers stay below 2^53. */
const numbers = 2 ** 31;

/** The changes of an hour, as one number each, which sort by time. */
interface Bucket {
  changes: Float64Array;
  count: number;
}

/** Numbered changes that lie ahead, given in any order and taken out by time; those of one instant by their number. */
export class Changes {
  readonly #firstHour: number;
  readonly #hours: (Bucket | undefined)[] = [];
  /** Buckets that are empty again. */
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
   * Takes out and shows, by time, everything before `to`, which lies in the hour of the next change or ends it. Times
   * are told as milliseconds of that hour.
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
