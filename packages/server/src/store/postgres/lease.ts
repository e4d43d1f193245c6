import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "pg";
import { StoreHeld } from "../port.ts";
import { connect, messageOf, nameOf } from "./connect.ts";

export interface LeaseTerms {
  /** How long the lease lasts without a renewal. */
  readonly leaseMs: number;
  /** How long to wait for another holder to give it up or lose it. */
  readonly waitMs: number;
}

// A holder that is asked for while it is alive answers by renewing; this is how often a waiting one looks.
const lookMs = 250;

/**
 * The right to write, as a row with a fence number that goes up at every take-over. Only the database's clock decides
 * when it has expired; the holder measures with its own monotonic clock from before each renewal, and stops at two
 * thirds of the time, so it stops first. Whatever it may still send after that is refused by the fence.
 */
export class Lease {
  readonly holder: string;
  readonly fence: number;
  readonly #url: string;
  readonly #leaseMs: number;
  #client: Client;
  #actUntil: number;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #ended = false;
  #lost: string | undefined;
  readonly #listeners: ((reason: string) => void)[] = [];

  /** Waits for the lease and takes it. Throws StoreHeld when another one keeps it for longer than `waitMs`. */
  static async take(url: string, terms: LeaseTerms): Promise<Lease> {
    const holder = `${hostname()} process ${process.pid} ${randomBytes(6).toString("hex")}`;
    const client = await connect(url, "lease");
    const giveUpAt = performance.now() + terms.waitMs;
    try {
      for (;;) {
        const answer = await takeOver(client, holder, terms.leaseMs);
        if ("fence" in answer) return new Lease(url, client, holder, terms.leaseMs, answer);
        const waitMs = Math.min(lookMs, giveUpAt - performance.now());
        if (waitMs <= 0) throw heldBy(answer.holder, url);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    } catch (error) {
      await client.end();
      throw error;
    }
  }

  private constructor(url: string, client: Client, holder: string, leaseMs: number, taken: Taken) {
    this.#url = url;
    this.#client = client;
    this.holder = holder;
    this.fence = taken.fence;
    this.#leaseMs = leaseMs;
    this.#actUntil = taken.askedAt + (leaseMs * 2) / 3;
    this.#schedule(leaseMs / 3);
  }

  /** Whether the holder may still act. */
  get held(): boolean {
    return !this.#ended && performance.now() < this.#actUntil;
  }

  /** Called once with the reason when the lease is lost; not when it is resigned. */
  onLost(listener: (reason: string) => void): void {
    if (this.#lost === undefined) this.#listeners.push(listener);
    else listener(this.#lost);
  }

  /** Ends the lease on this side and tells the listeners. */
  lose(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#lost = reason;
    clearTimeout(this.#timer);
    this.#client.end().catch(() => {});
    for (const listener of this.#listeners.splice(0)) listener(reason);
  }

  /** Gives the lease up, so that the next one need not wait for its end. */
  async resign(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    // When this does not get through, the lease simply runs out.
    await this.#client
      .query(
        "UPDATE tessera.beat SET expires_at = clock_timestamp() WHERE name = 'writer' AND holder = $1 AND fence = $2",
        [this.holder, this.fence],
      )
      .catch(() => {});
    await this.#client.end().catch(() => {});
  }

  #schedule(inMs: number): void {
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew();
    }, inMs);
  }

  async #renew(): Promise<void> {
    const leftMs = this.#actUntil - performance.now();
    if (leftMs <= 0) return this.lose(`it was not renewed in time; this process or ${nameOf(this.#url)} stood still`);
    const askedAt = performance.now();
    let renewed: boolean;
    try {
      renewed = await within(leftMs, this.#beat());
    } catch (error) {
      if (this.#ended) return;
      if (performance.now() >= this.#actUntil) return this.lose(`it could not be renewed: ${messageOf(error)}`);
      await this.#reconnect();
      return this.#schedule(Math.min(lookMs, this.#leaseMs / 10));
    }
    if (this.#ended) return;
    if (!renewed) return this.lose("another server has taken it over");
    this.#actUntil = askedAt + (this.#leaseMs * 2) / 3;
    this.#schedule(this.#leaseMs / 3);
  }

  async #beat(): Promise<boolean> {
    const { rowCount } = await this.#client.query(
      `UPDATE tessera.beat SET expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE name = 'writer' AND holder = $1 AND fence = $2`,
      [this.holder, this.fence, this.#leaseMs],
    );
    return rowCount === 1;
  }

  async #reconnect(): Promise<void> {
    this.#client.end().catch(() => {});
    try {
      this.#client = await connect(this.#url, "lease");
    } catch {
      // The next attempt to renew fails at once and comes back here, until the time is up.
    }
    if (this.#ended) await this.#client.end().catch(() => {});
  }
}

interface Taken {
  readonly fence: number;
  /** On the monotonic clock, before the database began to count. */
  readonly askedAt: number;
}

/** Takes the lease over when it has expired; else says who has it. */
async function takeOver(client: Client, holder: string, leaseMs: number): Promise<Taken | { holder: string }> {
  const look = "SELECT holder, expires_at > clock_timestamp() AS live FROM tessera.beat WHERE name = 'writer'";
  const seen = (await client.query(look)).rows[0];
  if (seen.live) return { holder: seen.holder };
  await client.query("BEGIN");
  try {
    // Bounds the wait for a holder that stands still in the middle of a write.
    await client.query(`SET LOCAL lock_timeout = ${Math.ceil(leaseMs)}`);
    const beat = (await client.query(`${look} FOR UPDATE`)).rows[0];
    if (beat.live) {
      await client.query("ROLLBACK");
      return { holder: beat.holder };
    }
    const { rows } = await client.query(
      "UPDATE tessera.fence SET holder = $1, fence = fence + 1 WHERE name = 'writer' RETURNING fence",
      [holder],
    );
    const { fence } = rows[0];
    const askedAt = performance.now();
    await client.query(
      `UPDATE tessera.beat SET holder = $1, fence = $2, expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       WHERE name = 'writer'`,
      [holder, fence, leaseMs],
    );
    await client.query("COMMIT");
    return { fence, askedAt };
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    if (isLockTimeout(error)) return { holder: seen.holder };
    throw error;
  }
}

function isLockTimeout(error: unknown): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === "55P03";
}

function heldBy(holder: string, url: string): StoreHeld {
  const who = holder.split(" ").slice(0, -1).join(" ");
  return new StoreHeld(
    `The store in the database ${nameOf(url)} is held by another Tessera server (${who}). ` +
      "Stop that one first, or start this one with another database.",
  );
}

async function within<Result>(limitMs: number, act: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), limitMs);
  });
  try {
    return await Promise.race([act, tooLate]);
  } finally {
    clearTimeout(timer);
    act.catch(() => {}); // its end may come after we have gone on
  }
}
