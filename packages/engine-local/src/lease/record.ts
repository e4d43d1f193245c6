import type { LeaseId, Report } from "@tessera/core";
import type { EngineLease } from "@tessera/engine";
import { type Claim, isLast, readClaim } from "./folder.ts";

/** What the engine keeps in memory of a lease; its folder is the truth. */
export class LeaseRecord {
  readonly id: LeaseId;
  readonly folder: string;
  readonly reports: Report[] = [];
  acknowledged = 0;
  stopAsked = false;
  /** A supervisor was started by this process and has not ended. */
  supervised = false;
  /** How long the file of reports was when it was last read. */
  bytesSeen = 0;
  /** The engine is about to read its folder. */
  lookAhead = false;
  #claim: Claim | undefined;
  readonly #end = new AbortController();

  constructor(id: LeaseId, folder: string) {
    this.id = id;
    this.folder = folder;
  }

  /** The number of its newest report. */
  get sequence(): number {
    return this.reports.at(-1)?.sequence ?? 0;
  }

  get hasEnded(): boolean {
    return isLast(this.reports.at(-1));
  }

  /** Aborted once nothing more can come from this lease. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  get state(): EngineLease["state"] {
    if (this.hasEnded) return "gone";
    const kinds = this.reports.map((report) => report.what.kind);
    if (this.stopAsked || kinds.includes("stopping")) return "stopping";
    return kinds.includes("started") ? "running" : "held";
  }

  /** Takes in the reports that are new; returns them. */
  take(all: readonly Report[]): readonly Report[] {
    const fresh = all.slice(this.reports.length);
    this.reports.push(...fresh);
    if (this.hasEnded) this.#end.abort();
    return fresh;
  }

  unacknowledged(): readonly Report[] {
    return this.reports.filter((report) => report.sequence > this.acknowledged);
  }

  /** Who answers for this lease. Never changes once it is there, so it is read from the folder only until then. */
  async claim(): Promise<Claim | undefined> {
    this.#claim ??= await readClaim(this.folder);
    return this.#claim;
  }
}
