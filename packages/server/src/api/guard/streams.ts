import { type Account, mostOf, type ReadonlyState } from "@tessera/core";
import type { Action } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import { inScope, type Principal, principalOf } from "../../access/principal.ts";
import { isIdle } from "../../access/session.ts";
import type { TokenUse } from "../../access/token-use.ts";
import type { ControlPlane } from "../../flow/control.ts";
import { type Denial, deny } from "../answer/problem.ts";

export interface StreamLimits {
  /** Absent: half of what its user may have, so that one program does not take it all. */
  readonly perTokenMax?: number;
  /** Absent: what the policy says. */
  readonly perUserMax?: number;
  /** Of all users together. */
  readonly max: number;
  /** How often it is looked whether each stream may go on. */
  readonly lookEveryMs: number;
}

export const usualStreamLimits: StreamLimits = { max: 8_192, lookEveryMs: 2_000 };

/** An answer that lasts: a log that is followed, a watched list, a file, a connection into a job. */
export interface Stream {
  readonly principal: Principal;
  /** Whether its right is gone. */
  over(): boolean;
  /** Called once its right is gone. */
  end(): void;
}

/** Event kinds after which someone may do less than before. */
export const accessKinds: ReadonlySet<string> = new Set([
  "role-bound",
  "role-unbound",
  "user-changed",
  "token-revoked",
  "account-deleted",
]);

/**
 * Every open stream, counted. Rights are looked at when they change, and every two seconds for what only time ends: a
 * token that expires, a session that is left alone.
 */
export class Streams {
  readonly #control: ControlPlane;
  readonly #limits: StreamLimits;
  readonly #open = new Set<Stream>();
  readonly #perToken = new Map<string, number>();
  readonly #perUser = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: () => void;
  readonly #onCount: (open: number) => void;

  constructor(control: ControlPlane, limits: StreamLimits, onCount: (open: number) => void) {
    this.#control = control;
    this.#limits = limits;
    this.#onCount = onCount;
    this.#timer = setInterval(() => this.#look(), limits.lookEveryMs).unref();
    this.#stop = control.follow({
      after: ({ events }) => {
        if (events.some(({ kind }) => accessKinds.has(kind))) this.#look();
      },
    });
  }

  /** Why one more may not be opened; undefined while it may. */
  full({ user, token }: Principal): Denial | undefined {
    const { max, perUserMax = mostOf(this.#control.state.policy, "streamsPerUser") } = this.#limits;
    const { perTokenMax = Math.ceil(perUserMax / 2) } = this.#limits;
    const tokens = this.#perToken.get(token.id) ?? 0;
    if (tokens >= perTokenMax) return tooMany(`streams of this token`, tokens, perTokenMax);
    const users = this.#perUser.get(user.id) ?? 0;
    if (users >= perUserMax) return tooMany("streams of yours", users, perUserMax);
    return this.#open.size >= max ? tooMany("streams on this server", this.#open.size, max) : undefined;
  }

  /** Counts it until the returned function is called. */
  add(stream: Stream): () => void {
    const { user, token } = stream.principal;
    this.#open.add(stream);
    change(this.#perToken, token.id, 1);
    change(this.#perUser, user.id, 1);
    this.#onCount(this.#open.size);
    return () => {
      if (!this.#open.delete(stream)) return;
      change(this.#perToken, token.id, -1);
      change(this.#perUser, user.id, -1);
      this.#onCount(this.#open.size);
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stop();
  }

  #look(): void {
    for (const stream of [...this.#open]) if (stream.over()) stream.end();
  }
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function tooMany(what: string, count: number, max: number): Denial {
  return deny("rate-limited", `There are ${count} open ${what} (limit ${max}).`, "Close some of them first.");
}

/** What looking after the rights of something that lasts takes. */
export interface Ground {
  readonly control: ControlPlane;
  readonly tokenUse: TokenUse;
}

/** The principal as it is now; undefined once its token, its user or its session is at an end. */
export function stillThere({ control, tokenUse }: Ground, { token }: Principal): Principal | undefined {
  const now = control.now();
  const principal = principalOf(control.state, token, now);
  return principal === undefined || isIdle(principal.token, now, tokenUse, control.state.policy)
    ? undefined
    : principal;
}

/** Whether the caller may still do this at an account. */
export function stillMay(ground: Ground, caller: Principal, action: Action, account: Account, own: boolean): boolean {
  const { state } = ground.control;
  const principal = stillThere(ground, caller);
  if (principal === undefined || !inScope(principal, action) || !exists(state, account)) return false;
  return may(state, principal.user, action, account.no, own);
}

function exists({ accounts }: ReadonlyState, { no, id }: Account): boolean {
  return accounts[no]?.id === id;
}
