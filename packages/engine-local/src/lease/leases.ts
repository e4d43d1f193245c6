import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { LeaseId, Report } from "@tessera/core";
import { leaseFile, readIfThere, readReports, type StateFolder } from "./folder.ts";
import { safeName } from "./name.ts";
import { LeaseRecord } from "./record.ts";

/** The leases that are not forgotten. What concerns one of them happens in turn. */
export class Leases {
  readonly #state: StateFolder;
  readonly #records = new Map<LeaseId, LeaseRecord>();
  readonly #turns = new Map<LeaseId, Promise<void>>();

  constructor(state: StateFolder) {
    this.#state = state;
  }

  get(lease: LeaseId): LeaseRecord | undefined {
    return this.#records.get(lease);
  }

  all(): Iterable<LeaseRecord> {
    return this.#records.values();
  }

  keep(record: LeaseRecord): void {
    this.#records.set(record.id, record);
  }

  drop(lease: LeaseId): void {
    this.#records.delete(lease);
  }

  async create(lease: LeaseId): Promise<LeaseRecord> {
    const record = this.#recordOf(lease);
    await mkdir(record.folder, { recursive: true, mode: 0o700 });
    this.keep(record);
    return record;
  }

  /** Reads what an earlier engine left: all that it has not forgotten. */
  async *load(): AsyncIterable<LeaseRecord> {
    for (const name of await readdir(this.#state.leases)) {
      const record = this.#recordOf(name as LeaseId);
      record.take(await readReports(record.folder));
      record.acknowledged = Number(await readIfThere(join(record.folder, leaseFile.acknowledged))) || 0;
      record.stopAsked = (await readIfThere(join(record.folder, leaseFile.stop))) !== undefined;
      this.keep(record);
      yield record;
    }
  }

  /** A lease that was forgotten is remembered by how it ended: it must not run again [S34]. */
  async recall(lease: LeaseId): Promise<LeaseRecord | undefined> {
    const text = await readIfThere(join(this.#state.ended, `${lease}.json`));
    if (text === undefined) return undefined;
    const record = this.#recordOf(lease);
    record.take([JSON.parse(text) as Report]);
    record.acknowledged = record.sequence;
    return record;
  }

  /** Runs what concerns one lease one after the other, so that no two calls see it half changed. */
  async inTurn(lease: LeaseId, act: (record: LeaseRecord | undefined) => Promise<void>): Promise<void> {
    safeName(lease);
    const turn = (this.#turns.get(lease) ?? Promise.resolve())
      .catch(() => {})
      .then(async () => act(this.#records.get(lease) ?? (await this.recall(lease))));
    this.#turns.set(lease, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(lease) === turn) this.#turns.delete(lease);
    }
  }

  /** Done when every turn that has begun is over. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#turns.values());
  }

  #recordOf(lease: LeaseId): LeaseRecord {
    return new LeaseRecord(lease, join(this.#state.leases, lease));
  }
}
