import type { Report, ReportWhat } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import type { Member } from "./member.ts";
import { seededRandom } from "./random.ts";

/** What goes wrong on the way of reports, as chances from 0 to 1. The order within one lease is always kept. */
export interface Faults {
  readonly seed: number;
  /** A report comes a second time, up to `delayMsMax` later. */
  readonly duplicate: number;
  /** A report, and with it those that follow it, comes up to `delayMsMax` late. */
  readonly delay: number;
  readonly delayMsMax: number;
  /** A report, and with it those that follow it, does not come until the leases are listed or a listener subscribes. */
  readonly drop: number;
}

export const noFaults: Faults = { seed: 0, duplicate: 0, delay: 0, delayMsMax: 0, drop: 0 };

/** Brings reports to the one listener: each lease's in order, again from the first unacknowledged to a new listener. */
export class Outbox {
  readonly #clock: Clock;
  readonly #faults: Faults;
  readonly #random: () => number;
  #listener: ((report: Report) => void) | undefined;
  /** Members with something to deliver; emptied in an act of the clock, so that a listener is never called inside a call. */
  #waiting: Member[] = [];

  constructor(clock: Clock, faults: Faults) {
    this.#clock = clock;
    this.#faults = faults;
    this.#random = seededRandom(faults.seed);
  }

  /** Writes the member's next report and sends it off. */
  report(member: Member, what: ReportWhat): void {
    member.lastSequence += 1;
    member.reports.push({
      lease: member.lease,
      sequence: member.lastSequence,
      bootId: member.bootId,
      at: this.#clock.now(),
      what,
    });
    this.#send(member);
  }

  acknowledge(member: Member, sequence: number): void {
    member.reports = member.reports.filter((report) => report.sequence > sequence);
  }

  /** A new listener hears everything that is not acknowledged; the old one hears nothing more. */
  subscribe(listener: (report: Report) => void, members: Iterable<Member>): void {
    this.#listener = listener;
    for (const member of members) {
      member.delivered = (member.reports[0]?.sequence ?? member.lastSequence + 1) - 1;
      member.stalled = false;
      this.#send(member);
    }
  }

  unsubscribe(): void {
    this.#listener = undefined;
  }

  /** Delivers dropped reports: a caller that lists the leases finds out that some are missing. */
  resume(members: Iterable<Member>): void {
    for (const member of members) {
      if (!member.stalled) continue;
      member.stalled = false;
      this.#send(member);
    }
  }

  /** Gives the listener a report that it may have had before. */
  repeat(report: Report, afterMs = 0): void {
    const listener = this.#listener;
    this.#clock.at(this.#clock.now() + afterMs, () => {
      if (listener === this.#listener) listener?.(report);
    });
  }

  #send(member: Member): void {
    this.#waiting.push(member);
    if (this.#waiting.length > 1) return;
    this.#clock.at(this.#clock.now(), () => {
      const members = this.#waiting;
      this.#waiting = [];
      for (const each of members) this.#deliver(each);
    });
  }

  #deliver(member: Member): void {
    if (this.#listener === undefined || member.stalled) return;
    for (const report of member.reports) {
      if (report.sequence <= member.delivered) continue;
      if (this.#isHeldUp(member, report)) return;
      member.delivered = report.sequence;
      this.#listener(report);
      if (this.#happens(this.#faults.duplicate)) this.repeat(report, this.#lateness());
    }
  }

  /** Settles once for each report whether it is dropped or late. */
  #isHeldUp(member: Member, report: Report): boolean {
    if (report.sequence <= member.fated) return false;
    member.fated = report.sequence;
    if (this.#happens(this.#faults.drop)) {
      member.stalled = true;
    } else if (this.#happens(this.#faults.delay)) {
      member.stalled = true;
      this.#clock.at(this.#clock.now() + this.#lateness(), () => this.resume([member]));
    }
    return member.stalled;
  }

  #happens(chance: number): boolean {
    return chance > 0 && this.#random() < chance;
  }

  #lateness(): number {
    return Math.floor(this.#random() * (this.#faults.delayMsMax + 1));
  }
}
