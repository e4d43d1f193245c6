import { setImmediate } from "node:timers/promises";
import {
  type CapacityChange,
  day,
  type Event,
  type FloorChange,
  hour,
  type Instant,
  type Metered,
  openUsage,
  type Period,
  PeriodRating,
  RateBook,
  type ReadonlyState,
  Totals,
} from "@tessera/core";
import type { StoreReader } from "../../store/port.ts";
import type { CommitListener } from "../commits.ts";
import { bookOf, type RatedPeriod, readTerms, readUsage } from "./bill.ts";
import type { Span } from "./own-past.ts";
import { windowsBetween } from "./periods.ts";

/** What is asked of the control plane. */
interface Followed {
  readonly state: ReadonlyState;
  readonly reader: StoreReader;
  follow(listener: CommitListener): unknown;
}

type Terms = Pick<Metered, "floors" | "capacity">;

/** What came together from an instant on, up to a full hour. */
interface Run {
  readonly totals: Totals;
  until: Instant;
}

/** Days are kept for as long as anyone looks back; hours only until they are a day. */
const daysMax = 400;
const hoursMax = 72;
const runsMax = 6;
const answersMax = 4;
const usageAtOnce = 5_000;

/**
 * What stretches of time came to at the prices of now. Full hours and days are rated once and kept, so that a question
 * costs what was used since the last one. Whatever is committed about a time that was rated already (a report that
 * came late, a new price) drops exactly what it touches. Nothing here is durable: it follows from the books.
 */
export class RatedTime {
  readonly #control: Followed;
  readonly #rates = new RateBook();
  readonly #days = new Map<Instant, Totals>();
  readonly #hours = new Map<Instant, Totals>();
  readonly #runs = new Map<Instant, Run>();
  /** Floors and capacity change seldom: they are read again when they have. */
  #terms: Promise<Terms> | undefined;
  /** Nothing that is kept, or is about to be, reaches beyond this. */
  #until: Instant = 0;
  /** Grows when something is dropped: what was read before is not kept. */
  #generation = 0;
  readonly #answers = new Map<string, Totals>();
  /** How many were seen. */
  #events = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(control: Followed) {
    this.#control = control;
    control.follow({ before: (event) => this.#see(event) });
  }

  /** What the time between two instants came to; `toAt` has come. Read only. */
  totals(span: Span): Promise<Totals> {
    const answer = this.#turn.then(() => this.#answer(span));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  /** One look asks for the same stretch again and again: until something is committed, the answer is the same. */
  async #answer(span: Span): Promise<Totals> {
    const key = `${span.fromAt} ${span.toAt}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const events = this.#events;
    const totals = await this.#totals(span);
    if (events === this.#events) keep(this.#answers, key, totals, answersMax);
    return totals;
  }

  /** A month as far as it has come. */
  async period(period: Period, now: Instant): Promise<RatedPeriod> {
    const until = { ...period, toAt: Math.max(period.fromAt, Math.min(period.toAt, now)) };
    const book = bookOf(this.#control.state);
    const windows = windowsBetween(book.versions, until.fromAt, until.toAt);
    const totals = await this.totals(until);
    return { period: until, book, windows, totals, shared: totals.shared() };
  }

  /** The same by calendar day (UTC), in order. */
  async days({ fromAt, toAt }: Span): Promise<{ readonly fromAt: Instant; readonly totals: Totals }[]> {
    const found: { fromAt: Instant; totals: Totals }[] = [];
    for (const at of daysIn({ fromAt, toAt }))
      found.push({ fromAt: at, totals: await this.totals({ fromAt: at, toAt: Math.min(toAt, nextOf(at, day)) }) });
    return found;
  }

  async #totals({ fromAt, toAt }: Span): Promise<Totals> {
    const sum = new Totals(this.#rates);
    const generation = this.#generation;
    const lastHour = toAt - (toAt % hour);
    const kept = this.#runs.get(fromAt);
    const run =
      kept !== undefined && kept.until <= lastHour ? kept : { totals: new Totals(this.#rates), until: fromAt };
    for (const piece of piecesOf({ fromAt: run.until, toAt })) {
      const totals = await this.#piece(piece);
      if (this.#generation !== generation) return this.#totals({ fromAt, toAt });
      if (piece.toAt > lastHour) sum.addAll(totals);
      else {
        run.totals.addAll(totals);
        run.until = piece.toAt;
      }
    }
    if (run.until - fromAt > day) keep(this.#runs, fromAt, run, runsMax);
    sum.addAll(run.totals);
    return sum;
  }

  async #piece({ fromAt, toAt }: Span): Promise<Totals> {
    const isDay = toAt - fromAt === day && fromAt % day === 0;
    const isHour = toAt - fromAt === hour && fromAt % hour === 0;
    if (!isDay && !isHour) return this.#rate({ fromAt, toAt });
    const known = (isDay ? this.#days : this.#hours).get(fromAt) ?? (isDay ? this.#dayOfHours(fromAt) : undefined);
    if (known !== undefined) return known;
    this.#until = Math.max(this.#until, toAt);
    const generation = this.#generation;
    const totals = await this.#rate({ fromAt, toAt });
    if (this.#generation === generation) {
      if (isDay) keep(this.#days, fromAt, totals, daysMax);
      else keep(this.#hours, fromAt, totals, hoursMax);
    }
    return totals;
  }

  /** A day of which every hour is known. */
  #dayOfHours(fromAt: Instant): Totals | undefined {
    const starts = Array.from({ length: day / hour }, (_, no) => fromAt + no * hour);
    if (!starts.every((at) => this.#hours.has(at))) return undefined;
    const totals = new Totals(this.#rates);
    for (const at of starts) {
      totals.addAll(this.#hours.get(at)!);
      this.#hours.delete(at);
    }
    keep(this.#days, fromAt, totals, daysMax);
    return totals;
  }

  async #rate({ fromAt, toAt }: Span): Promise<Totals> {
    const { reader, state } = this.#control;
    const period = { label: "", fromAt, toAt, zone: "UTC" };
    const book = bookOf(state);
    const windows = windowsBetween(book.versions, fromAt, toAt);
    const rating = new PeriodRating({ period, book, windows, rates: this.#rates });
    const terms = await this.#readTerms();
    const open = openUsage(state, toAt);
    const { usage, lost } = await readUsage(reader, period);
    // After a restart there is much to rate: in between, requests are answered.
    if (usage.length > usageAtOnce) await setImmediate();
    rating.take({ usage: [...usage, ...open], lost, ...termsIn(terms, fromAt) });
    rating.advance(toAt);
    return rating.totals;
  }

  #readTerms(): Promise<Terms> {
    if (this.#terms !== undefined) return this.#terms;
    const reading = readTerms(this.#control.reader);
    this.#terms = reading;
    // A reading that failed, such as one whose caller left, must not fail for all who ask later.
    reading.catch(() => {
      if (this.#terms === reading) this.#terms = undefined;
    });
    return reading;
  }

  #see(event: Event): void {
    this.#events++;
    this.#answers.clear();
    if (event.kind.startsWith("node-") || event.kind.startsWith("account-")) this.#terms = undefined;
    const at = touchedFrom(event);
    if (at >= this.#until) return;
    this.#generation++;
    this.#until = at;
    for (const from of this.#days.keys()) if (from + day > at) this.#days.delete(from);
    for (const from of this.#hours.keys()) if (from + hour > at) this.#hours.delete(from);
    for (const [from, { until }] of this.#runs) if (until > at) this.#runs.delete(from);
  }
}

/** Floors and capacity as they are when a stretch begins, and their changes from then on. */
function termsIn({ floors, capacity }: Terms, fromAt: Instant): Terms {
  const before = new Map<string, FloorChange>();
  for (const floor of inOrder(floors.filter(({ at }) => at <= fromAt))) before.set(floor.account, floor);
  const there = new Map<string, CapacityChange>();
  for (const change of capacity) {
    if (change.at > fromAt) continue;
    const unitsAdded = change.unitsAdded + (there.get(change.model)?.unitsAdded ?? 0);
    there.set(change.model, { ...change, unitsAdded });
  }
  return {
    floors: [...before.values(), ...floors.filter(({ at }) => at > fromAt)],
    capacity: [...there.values(), ...capacity.filter(({ at }) => at > fromAt)],
  };
}

function inOrder(floors: readonly FloorChange[]): FloorChange[] {
  return [...floors].sort((a, b) => a.at - b.at || a.revision - b.revision);
}

/** From when on something that is committed now counts. */
function touchedFrom(event: Event): Instant {
  if (event.kind === "price-added") return event.version.fromAt;
  return event.kind === "contract-set" ? event.contract.fromAt : event.at;
}

/** A day that is over is one piece from where it is looked at; of the last one, each hour; and the rest of an hour. */
function piecesOf({ fromAt, toAt }: Span): Span[] {
  const pieces: Span[] = [];
  for (let at = fromAt; at < toAt; ) {
    const next = nextOf(at, day) <= toAt ? nextOf(at, day) : Math.min(toAt, nextOf(at, hour));
    pieces.push({ fromAt: at, toAt: next });
    at = next;
  }
  return pieces;
}

/** Where each calendar day (UTC) of a span begins in it. */
export function daysIn({ fromAt, toAt }: Span): Instant[] {
  const starts: Instant[] = [];
  for (let at = fromAt; at < toAt; at = nextOf(at, day)) starts.push(at);
  return starts;
}

/** The next full hour or day (UTC). */
function nextOf(at: Instant, length: number): Instant {
  return (Math.floor(at / length) + 1) * length;
}

function keep<Key, Kept>(kept: Map<Key, Kept>, key: Key, value: Kept, most: number): void {
  kept.delete(key);
  kept.set(key, value);
  if (kept.size > most) kept.delete(kept.keys().next().value!);
}
