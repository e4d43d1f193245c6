import { randomBytes } from "node:crypto";
import type { EntryAsk } from "@tessera/engine";
import { newId } from "../../flow/ids.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Ground, Streams } from "../guard/streams.ts";
import { type Visit, visitOver } from "./visit.ts";

export interface EntranceLimits {
  /** Commands and terminals that are open at once. */
  readonly execsPerUserMax: number;
  readonly execsPerJobMax: number;
  /** Connections to ports that are open at once. */
  readonly portsPerUserMax: number;
  readonly portsPerJobMax: number;
  /** Entrances that were asked for and are not over, per user. */
  readonly entrancesPerUserMax: number;
  /** How often it is looked whether each open connection may go on. */
  readonly lookEveryMs: number;
  /** How long an entrance that is used once, and a ticket, wait for their use. */
  readonly unusedMsMax: number;
  /** How long a port may be left alone until it must be asked for again. */
  readonly idleMsMax: number;
  /** How long a browser may come back to a page. */
  readonly pageMsMax: number;
}

export const usualEntranceLimits: EntranceLimits = {
  execsPerUserMax: 64,
  execsPerJobMax: 64,
  portsPerUserMax: 256,
  portsPerJobMax: 512,
  entrancesPerUserMax: 512,
  lookEveryMs: 3_000,
  unusedMsMax: 60_000,
  idleMsMax: 3_600_000,
  pageMsMax: 12 * 3_600_000,
};

/** Where someone may go in: asked for, allowed and audited, and not yet over. */
export interface Granted extends Visit {
  readonly id: string;
  readonly ask: EntryAsk;
  expiresAt: number;
}

/** A page of a job in a browser: the cookie of its host stands for this. */
export interface PageVisit extends Visit {
  readonly port: number;
  expiresAt: number;
}

/** A connection into a job that is open. */
export interface Open extends Visit {
  readonly kind: "exec" | "port";
  /** Ends it and says why. */
  end(why: "not-allowed" | "job-over" | "stopping"): void;
  /** Called at each look while it may go on. */
  look?(): void;
}

/** All that people have open inside jobs, and may open: in memory, so that a restart of the server ends it. */
export class Entrances {
  readonly limits: EntranceLimits;
  readonly #ground: Ground;
  readonly #granted = new Map<string, Granted>();
  readonly #tickets = new Map<string, PageVisit>();
  readonly #pages = new Map<string, PageVisit>();
  readonly #open = new Map<Open, () => void>();
  readonly #streams: Streams;
  readonly #changed: (open: number) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(ground: Ground, streams: Streams, limits: EntranceLimits, changed: (open: number) => void) {
    this.#ground = ground;
    this.#streams = streams;
    this.limits = limits;
    this.#changed = changed;
    this.#timer = setInterval(() => this.#look(), limits.lookEveryMs).unref();
  }

  /** Notes that the visit was allowed; refused where one user keeps too many. */
  grant(visit: Visit, ask: EntryAsk): Granted | Denial {
    this.#forget();
    const own = [...this.#granted.values()].filter((each) => each.principal.user.id === visit.principal.user.id);
    if (own.length >= this.limits.entrancesPerUserMax) return tooMany("entrances", own.length);
    const id = newId("ent_");
    const granted = { ...visit, id, ask, expiresAt: this.#ground.control.now() + this.#keptMs(ask) };
    this.#granted.set(id, granted);
    return granted;
  }

  /** The entrance, if it is this user's. One for a command is gone once it was asked for. */
  take(id: string, user: string): Granted | undefined {
    this.#forget();
    const granted = this.#granted.get(id);
    if (granted === undefined || granted.principal.user.id !== user) return undefined;
    if (granted.ask.kind === "exec") this.#granted.delete(id);
    else granted.expiresAt = this.#ground.control.now() + this.limits.idleMsMax;
    return granted;
  }

  has(id: string, user: string): boolean {
    this.#forget();
    return this.#granted.get(id)?.principal.user.id === user;
  }

  /** A word that opens the page once and soon. */
  ticket(page: Omit<PageVisit, "expiresAt">): string {
    const ticket = randomBytes(32).toString("base64url");
    this.#tickets.set(ticket, { ...page, expiresAt: this.#ground.control.now() + this.limits.unusedMsMax });
    return ticket;
  }

  /** Exchanges a ticket for what the browser keeps; undefined when it was used, is too old, or is for another page. */
  admit(ticket: string, isFor: (page: PageVisit) => boolean): string | undefined {
    this.#forget();
    const page = this.#tickets.get(ticket);
    if (page === undefined) return undefined;
    this.#tickets.delete(ticket); // used up, whatever it was tried on
    if (!isFor(page) || visitOver(this.#ground, page) !== undefined) return undefined;
    const cookie = randomBytes(32).toString("base64url");
    this.#pages.set(cookie, { ...page, expiresAt: this.#ground.control.now() + this.limits.pageMsMax });
    return cookie;
  }

  /** What a browser's cookie stands for, while its user may still go in. */
  page(cookie: string): PageVisit | undefined {
    const page = this.#pages.get(cookie);
    if (page === undefined) return undefined;
    if (page.expiresAt > this.#ground.control.now() && visitOver(this.#ground, page) === undefined) return page;
    this.#pages.delete(cookie);
    return undefined;
  }

  /** Whether one more may be opened; why not otherwise. */
  mayOpen({ principal, job }: Visit, kind: Open["kind"]): Denial | undefined {
    let [users, jobs] = [0, 0];
    for (const each of this.#open.keys()) {
      if (each.kind !== kind) continue;
      if (each.principal.user.id === principal.user.id) users++;
      if (each.job === job) jobs++;
    }
    const { limits } = this;
    const [perUser, perJob] =
      kind === "exec"
        ? [limits.execsPerUserMax, limits.execsPerJobMax]
        : [limits.portsPerUserMax, limits.portsPerJobMax];
    const what = kind === "exec" ? "commands and terminals" : "connections";
    if (users >= perUser) return tooMany(`${what} of yours`, perUser);
    return jobs >= perJob ? tooMany(`${what} into this job`, perJob) : this.#streams.full(principal);
  }

  opened(open: Open): void {
    const ends = () => this.#end(open);
    const uncount = this.#streams.add({ principal: open.principal, over: () => this.#isOver(open), end: ends });
    this.#open.set(open, uncount);
    this.#changed(this.#open.size);
  }

  closed(open: Open): void {
    this.#open.get(open)?.();
    this.#open.delete(open);
    this.#changed(this.#open.size);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const open of this.#open.keys()) open.end("stopping");
  }

  #keptMs(ask: EntryAsk): number {
    return ask.kind === "exec" ? this.limits.unusedMsMax : this.limits.idleMsMax;
  }

  #isOver(open: Open): boolean {
    return visitOver(this.#ground, open) !== undefined;
  }

  #end(open: Open): void {
    const over = visitOver(this.#ground, open);
    if (over !== undefined) open.end(over);
  }

  #look(): void {
    for (const open of this.#open.keys()) {
      if (this.#isOver(open)) this.#end(open);
      else open.look?.();
    }
  }

  #forget(): void {
    const now = this.#ground.control.now();
    for (const kept of [this.#granted, this.#tickets, this.#pages]) {
      for (const [key, each] of kept as Map<string, { readonly expiresAt: number } & Visit>) {
        if (each.expiresAt <= now || visitOver(this.#ground, each) !== undefined) kept.delete(key);
      }
    }
  }
}

function tooMany(what: string, count: number): Denial {
  return deny("rate-limited", `There are ${count} open ${what}, and no more are allowed.`, "Close some of them first.");
}
