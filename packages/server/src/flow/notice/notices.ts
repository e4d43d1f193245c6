import { type AuditNote, type AuditOutcome, isRefusal, type TokenId, type UserId } from "@tessera/core";
import { networksOf } from "../../access/networks.ts";
import type { ControlPlane } from "../control.ts";
import { plainAddress } from "./origins.ts";

/** Something for the audit that is no command: a refusal, a failed sign-in, a read, an export. */
export interface Notice {
  /** What was tried: an action such as `job.logs`, or a name such as `session.fail`. */
  readonly kind: string;
  readonly user?: UserId;
  readonly token?: TokenId;
  /** Kept in a private row, which is erased with the user, or with `about` where there is none. */
  readonly address?: string;
  /** The user it is about: a failed sign-in says nothing of who tried. */
  readonly about?: UserId;
  /** The request id that the caller was told. */
  readonly request?: string;
  /** Account path: whose audit shows it. Empty for the platform. */
  readonly account: string;
  /** An id or a path; never the name of a person, which could not be erased. */
  readonly target: string;
  readonly outcome: AuditOutcome;
  readonly detail: string;
}

export interface NoticeLimits {
  /** How often what came is written. */
  readonly flushEveryMs: number;
  /** The same thing is written once in this time, with how often it happened. */
  readonly againMs: number;
  /** Different things that one user or one address may add in that time, and all together; the rest is counted in one. */
  readonly perSourceMax: number;
  readonly max: number;
}

export const usualNoticeLimits: NoticeLimits = { flushEveryMs: 1_000, againMs: 60_000, perSourceMax: 200, max: 2_000 };

const textLengthMax = 300;

interface Pending {
  readonly notice: Notice;
  readonly source: string;
  count: number;
  /** When it was written last, on the monotonic clock; undefined when it never was. */
  writtenAt: number | undefined;
}

/**
 * Collects notices and writes them to the journal in batches, beside the requests that they tell of. Equal ones are
 * counted, so that a flood costs one row. Where the disk is full they are dropped and the number is written later.
 */
export class Notices {
  readonly #control: ControlPlane;
  readonly #limits: NoticeLimits;
  readonly #pending = new Map<string, Pending>();
  readonly #perSource = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #dropped = 0;
  #flushing: Promise<void> | undefined;

  constructor(control: ControlPlane, limits: NoticeLimits = usualNoticeLimits) {
    this.#control = control;
    this.#limits = limits;
    this.#timer = setInterval(() => void this.flush(), limits.flushEveryMs).unref();
  }

  add(told: Notice): void {
    const notice = told.address === undefined ? told : { ...told, address: plainAddress(told.address) };
    // One machine can have any number of addresses of its network.
    const source = notice.user ?? (notice.address === undefined ? "" : networksOf(notice.address).wide);
    if (this.#count(notice)) return;
    const known = this.#perSource.get(source) ?? 0;
    if (known < this.#limits.perSourceMax && this.#pending.size < this.#limits.max) this.#enter(notice, source);
    else if (!this.#count(overflowOf(notice))) this.#overflow(notice);
  }

  /** Too many different things: from here on only how many, by kind and tenant. */
  #overflow(notice: Notice): void {
    if (this.#pending.size < 2 * this.#limits.max) this.#enter(overflowOf(notice), "");
    else this.#dropped++;
  }

  #count(notice: Notice): boolean {
    const known = this.#pending.get(keyOf(notice));
    if (known !== undefined) known.count++;
    return known !== undefined;
  }

  #enter(notice: Notice, source: string): void {
    this.#pending.set(keyOf(notice), { notice, source, count: 1, writtenAt: undefined });
    this.#perSource.set(source, (this.#perSource.get(source) ?? 0) + 1);
  }

  /** Writes what is due; with `all` also what would be counted for a while longer. */
  async flush(all = false): Promise<void> {
    await this.#flushing;
    this.#flushing = this.#write(this.#takeDue(performance.now(), all));
    await this.#flushing;
  }

  /** Writes everything that is left and stops. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush(true);
  }

  #takeDue(now: number, all: boolean): Pending[] {
    const due: Pending[] = [];
    for (const [key, each] of this.#pending) {
      const rested = each.writtenAt === undefined || now - each.writtenAt >= this.#limits.againMs;
      if (each.count > 0 && (rested || all)) {
        due.push({ ...each });
        each.count = 0;
        each.writtenAt = now;
      } else if (each.count === 0 && rested) this.#forget(key, each);
    }
    return due;
  }

  #forget(key: string, { source }: Pending): void {
    this.#pending.delete(key);
    const left = (this.#perSource.get(source) ?? 1) - 1;
    if (left === 0) this.#perSource.delete(source);
    else this.#perSource.set(source, left);
  }

  async #write(due: readonly Pending[]): Promise<void> {
    const lost = this.#dropped;
    if (due.length === 0 && lost === 0) return;
    const { origins } = this.#control;
    const found = due.map(({ notice }) =>
      notice.address === undefined ? undefined : origins.of(notice.user ?? notice.about, notice.address),
    );
    const rows = [...new Set(found.flatMap((origin) => origin?.rows ?? []))];
    const notes = due.map(({ notice, count }, i) => noteOf(notice, count, found[i]?.name));
    if (lost > 0) notes.push(noteOf(droppedNotice, lost, undefined));
    const command = { kind: "audit.note", notes } as const;
    try {
      const answer = await this.#control.ask(command, { actor: { user: "system" }, request: "notices" }, rows);
      if (isRefusal(answer)) throw new Error(answer.detail);
      origins.written(rows);
      this.#dropped -= lost;
    } catch {
      // There is no room, or the writer stopped: what was noted is lost, and that much is written when it can be.
      this.#dropped += due.reduce((sum, { count }) => sum + count, 0);
    }
  }
}

const droppedNotice: Notice = {
  kind: "audit.dropped",
  account: "",
  target: "",
  outcome: "failed",
  detail: "records that could not be kept: there was no room for them",
};

function overflowOf({ kind, account, outcome, user }: Notice): Notice {
  const tenant = account.split("/")[0] ?? "";
  const detail = "more than can be kept one by one";
  return { kind, account: tenant, outcome, target: "", detail, ...(user !== undefined && { user }) };
}

function keyOf({ kind, user, token, address, account, target, outcome, detail }: Notice): string {
  return [kind, user, token, address, account, target, outcome, detail].join("\n");
}

function noteOf(notice: Notice, count: number, origin: string | undefined): AuditNote {
  const { kind, user, token, request = "", account, target, outcome, detail } = notice;
  return {
    action: kind,
    ...(user !== undefined && { user }),
    ...(token !== undefined && { token }),
    ...(origin !== undefined && { origin }),
    request,
    account,
    target: target.slice(0, textLengthMax),
    outcome,
    detail: detail.slice(0, textLengthMax),
    count,
  };
}
