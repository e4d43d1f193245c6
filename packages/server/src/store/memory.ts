import type { Instant } from "@tessera/core";
import type { EventLines, JournalHead, JournalRow } from "../journal/format.ts";
import { emptyJournal, headOf, sealRow } from "../journal/row.ts";
import { latestAuditFirst, submittedOrder } from "./columns.ts";
import { comparePlaces, keyOf } from "./job-keys.ts";
import { isWithin } from "./paths.ts";
import {
  type AuditPlace,
  type AuditQuery,
  type AuditRow,
  type Batch,
  type BookPageQuery,
  type BookQuery,
  type BookRow,
  CommitOutage,
  type DeviceRow,
  type EndedJobKeys,
  type EndedJobRow,
  type JobGroup,
  type JobPlace,
  type JobQuery,
  type JobWalk,
  type MadeAt,
  type PrivateWrite,
  type Projected,
  type Snapshot,
  type Store,
  StoreHeld,
  snapshotsKept,
  type UsageRow,
  type WalkedJobs,
} from "./port.ts";
import { asStored } from "./stored.ts";
import { storable } from "./text.ts";
import { Turns } from "./turns.ts";

/**
 * Where an in-memory store keeps its rows. It outlives the store, as a disk outlives a process, so tests and the
 * simulator can end a writer at any moment and open another.
 */
export class MemoryPlace {
  readonly rows: JournalRow[] = [];
  readonly operations = new Map<string, number>();
  readonly privates = new Map<string, Map<string, Uint8Array>>();
  projections = new MemoryProjections();
  /** The newest first. */
  snapshots: readonly Snapshot[] = [];
  holder: object | undefined;

  /** What a sudden death of the process does to its lock. */
  dropHolder(): void {
    this.holder = undefined;
  }
}

class MemoryProjections {
  readonly jobs = new Map<string, EndedJobRow>();
  readonly usage: UsageRow[] = [];
  readonly devices = new Map<string, DeviceRow>();
  readonly audit = new Map<string, AuditRow>();
  readonly books: BookRow[] = [];

  /** Why `projected` cannot be added. */
  fault({ jobs, usage, audit }: Projected): string | undefined {
    const ids = new Set<string>();
    for (const { id } of jobs) {
      if (this.jobs.has(id) || ids.has(id)) return `job ${id} has ended before`;
      ids.add(id);
    }
    const places = new Set<string>();
    for (const entry of audit) {
      if (this.audit.has(placeOf(entry)) || places.has(placeOf(entry)))
        return `audit ${placeOf(entry)} is there already`;
      places.add(placeOf(entry));
    }
    const backward = usage.find((row) => row.toAt < row.fromAt);
    return backward && `usage of ${backward.lease} ends before it begins`;
  }

  add(projected: Projected): void {
    const { jobs, usage, devices, audit, books } = asStored(projected);
    for (const row of books) this.books.push(row);
    for (const row of jobs) this.jobs.set(row.id, row);
    for (const row of usage) this.usage.push(row);
    for (const row of devices) this.devices.set(`${row.gpu}\n${row.at}\n${row.seq}`, row);
    for (const row of audit) this.audit.set(placeOf(row), row);
  }
}

/** Opens an in-memory store: the contract without the disk, for tests and the simulator. */
export function openMemoryStore(place: MemoryPlace = new MemoryPlace()): Store {
  if (place.holder !== undefined) {
    throw new StoreHeld("This in-memory store is held by another writer. Close that one first.");
  }
  const store = new MemoryStore(place);
  place.holder = store;
  return store;
}

class MemoryStore implements Store {
  readonly #place: MemoryPlace;
  readonly #turns = new Turns();

  constructor(place: MemoryPlace) {
    this.#place = place;
  }

  async head(): Promise<JournalHead> {
    return this.#head();
  }

  append(batch: Batch): Promise<void> {
    return this.#turns.take(() => this.#append(batch));
  }

  #append({ row, projected, privates }: Batch): void {
    this.#mustHold(`batch ${row.seq}`);
    const head = this.#head();
    const fault =
      row.seq !== head.seq + 1 || row.eventsBefore !== head.events
        ? "the journal is gapless: this is not the row after the last"
        : this.#place.operations.has(row.op)
          ? `operation ${row.op} was committed before`
          : this.#place.projections.fault(projected);
    if (fault !== undefined) throw new CommitOutage(`Writing batch ${row.seq} failed: ${fault}`, true, undefined);
    this.#place.rows.push(copyOf(sealRow(row, head)));
    this.#place.operations.set(row.op, row.seq);
    this.#place.projections.add(projected);
    this.#putPrivates(privates);
  }

  async findOperation(op: string): Promise<number | undefined> {
    return this.#place.operations.get(op);
  }

  async job(id: string): Promise<EndedJobRow | undefined> {
    return this.#place.projections.jobs.get(storable(id));
  }

  async countJobs(query: JobQuery): Promise<number> {
    return (await this.jobs(query)).length;
  }

  async countAudit(query: AuditQuery): Promise<number> {
    return (await this.audit(query)).length;
  }

  async jobs(query: JobQuery): Promise<readonly EndedJobRow[]> {
    const { after, outcome } = query;
    const order = submittedOrder(query);
    return [...this.#place.projections.jobs.values()]
      .filter(
        (row) =>
          matches(row.user, query.user) &&
          matches(row.name, query.name) &&
          matches(row.arrayId, query.arrayId) &&
          (typeof outcome === "object" ? !outcome.not.includes(row.outcome) : matches(row.outcome, outcome)) &&
          (!query.tops || row.arrayId === null) &&
          underAny(row.account, query.accounts, query.madeAt, row.submittedAt) &&
          (after === undefined || order(after, row) < 0),
      )
      .sort(order)
      .slice(0, query.limit);
  }

  jobKeys(query: JobQuery): Promise<readonly EndedJobKeys[]> {
    return this.jobs(query);
  }

  async jobsById(ids: readonly string[]): Promise<readonly EndedJobRow[]> {
    return ids.flatMap((id) => this.#place.projections.jobs.get(storable(id)) ?? []);
  }

  async walkJobs({ along, after, down, stepsMax, limit, ...query }: JobWalk): Promise<WalkedJobs> {
    const isOnWay = (row: EndedJobRow) => "key" in along || row[along.group] === storable(along.of);
    const placeOf = (row: EndedJobRow): JobPlace => ({
      ...("key" in along && { key: keyOf(row, along.key) }),
      submittedAt: row.submittedAt,
      id: row.id,
    });
    const order = (a: JobPlace, b: JobPlace) => (down ? -1 : 1) * comparePlaces(a, b);
    const tops = await this.jobs({ accounts: [], tops: true, limit: Number.POSITIVE_INFINITY });
    const way = tops
      .filter((row) => isOnWay(row) && (after === undefined || order(after, placeOf(row)) < 0))
      .sort((a, b) => order(placeOf(a), placeOf(b)))
      .slice(0, stepsMax);
    const wanted = new Set(
      (await this.jobs({ ...query, tops: true, limit: Number.POSITIVE_INFINITY })).map(({ id }) => id),
    );
    const rows = way.filter(({ id }) => wanted.has(id)).slice(0, limit);
    const isOver = way.length < stepsMax || rows.length === limit || wanted.size === tops.length;
    return { rows, steps: way.length, ...(!isOver && { upTo: placeOf(way.at(-1)!) }) };
  }

  hasOrder(): boolean {
    return true;
  }

  async jobGroups(group: JobGroup): Promise<readonly string[]> {
    const tops = [...this.#place.projections.jobs.values()].filter(({ arrayId }) => arrayId === null);
    return [...new Set(tops.map((row) => row[group]))].sort();
  }

  async usage(accounts: readonly string[], fromAt: Instant, toAt: Instant): Promise<readonly UsageRow[]> {
    return this.#place.projections.usage.filter(
      (row) => row.fromAt < toAt && row.toAt > fromAt && underAny(row.account, accounts),
    );
  }

  async devices(fromAt: Instant, toAt: Instant): Promise<readonly DeviceRow[]> {
    const ordered = [...this.#place.projections.devices.values()]
      .filter((row) => row.at < toAt || row.at <= fromAt)
      .sort((a, b) => (a.gpu < b.gpu ? -1 : a.gpu > b.gpu ? 1 : a.at - b.at || a.seq - b.seq));
    return ordered.filter((row, i) => {
      const next = ordered[i + 1];
      return row.at > fromAt || next?.gpu !== row.gpu || next.at > fromAt;
    });
  }

  async audit(query: AuditQuery): Promise<readonly AuditRow[]> {
    const { before, fromAt, toAt } = query;
    return [...this.#place.projections.audit.values()]
      .filter(
        (row) =>
          matches(row.actor, query.actor) &&
          matches(row.action, query.action) &&
          matches(row.target, query.target) &&
          matches(row.outcome, query.outcome) &&
          (query.actions?.includes(row.action) ?? true) &&
          (query.outcomes?.includes(row.outcome) ?? true) &&
          !query.notBy?.includes(row.actor) &&
          (query.origins === undefined || query.origins.includes(row.origin ?? "")) &&
          underAny(row.account, query.accounts, query.madeAt, row.at) &&
          (fromAt === undefined || row.at >= fromAt) &&
          (toAt === undefined || row.at < toAt) &&
          (before === undefined || latestAuditFirst({ ...row, ...before }, row) < 0),
      )
      .sort(latestAuditFirst)
      .slice(0, query.limit);
  }

  async auditAfter(place: AuditPlace, limit: number): Promise<readonly AuditRow[]> {
    return [...this.#place.projections.audit.values()]
      .filter((row) => latestAuditFirst({ ...row, ...place }, row) > 0)
      .sort((a, b) => latestAuditFirst(b, a))
      .slice(0, limit);
  }

  async books({ kind, key, keyPrefix = "" as "-", tenant, fromAt, toAt, after, limit }: BookQuery) {
    const found = this.#place.projections.books.filter(
      (row) =>
        row.kind === kind &&
        matches(row.key, key) &&
        row.key.startsWith(keyPrefix) &&
        matches(row.tenant, tenant) &&
        (fromAt === undefined || row.toAt >= fromAt) &&
        (toAt === undefined || row.fromAt < toAt) &&
        (after === undefined || row.seq > after.seq || (row.seq === after.seq && row.index > after.index)),
    );
    return found.slice(0, limit);
  }

  async bookPage({ kind, tenants, before, limit }: BookPageQuery): Promise<readonly BookRow[]> {
    return this.#place.projections.books
      .filter((row) => row.kind === kind && (tenants === undefined || tenants.includes(row.tenant)))
      .filter((row) => before === undefined || latestBookFirst(before, row) < 0)
      .sort(latestBookFirst)
      .slice(0, limit);
  }

  async *allPrivates(): AsyncGenerator<PrivateWrite[]> {
    for (const [kind, rows] of this.#place.privates) yield [...rows].map(([key, value]) => ({ kind, key, value }));
  }

  async privates(kind: string, keys?: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const all = this.#place.privates.get(storable(kind)) ?? new Map<string, Uint8Array>();
    const asked = keys && new Set(keys.map(storable));
    return new Map([...all].filter(([key]) => asked === undefined || asked.has(key)));
  }

  async rows(fromSeq: number, limit: number): Promise<readonly JournalRow[]> {
    const from = Math.max(0, fromSeq - 1);
    return this.#place.rows.slice(from, from + limit).map(copyOf);
  }

  async rowHashes(fromSeq: number, limit: number): Promise<readonly Uint8Array[]> {
    return (await this.rows(fromSeq, limit)).map(({ hash }) => hash);
  }

  async eventLines(fromSeq: number, limit: number): Promise<readonly EventLines[]> {
    const rows = await this.rows(fromSeq, limit);
    return rows.map(({ seq, at, eventCount, events }) => ({
      seq,
      at,
      eventCount,
      lines: Buffer.from(events).toString("utf8"),
    }));
  }

  async latestSnapshot(): Promise<Snapshot | undefined> {
    return this.#place.snapshots[0];
  }

  async snapshots(): Promise<readonly Pick<Snapshot, "seq" | "schema">[]> {
    return this.#place.snapshots.map(({ seq, schema }) => ({ seq, schema }));
  }

  async snapshot(seq: number): Promise<Snapshot | undefined> {
    return this.#place.snapshots.find((snapshot) => snapshot.seq === seq);
  }

  async *projected(): AsyncGenerator<Projected> {
    const { jobs, usage, devices, audit, books } = this.#place.projections;
    yield {
      jobs: [...jobs.values()],
      usage: [...usage],
      devices: [...devices.values()],
      audit: [...audit.values()],
      books: [...books],
    };
  }

  writeSnapshot(snapshot: Snapshot): Promise<void> {
    return this.#turns.take(() => {
      this.#mustHold(`snapshot ${snapshot.seq}`);
      const before = this.#place.snapshots.filter(({ seq }) => seq < snapshot.seq);
      this.#place.snapshots = [{ ...snapshot, bytes: Uint8Array.from(snapshot.bytes) }, ...before].slice(
        0,
        snapshotsKept,
      );
    });
  }

  writePrivates(writes: readonly PrivateWrite[]): Promise<void> {
    return this.#turns.take(() => {
      this.#mustHold("private rows");
      this.#putPrivates(writes);
    });
  }

  replaceProjections(pages: AsyncIterable<Projected>): Promise<void> {
    return this.#turns.take(() => this.#replaceProjections(pages));
  }

  async #replaceProjections(pages: AsyncIterable<Projected>): Promise<void> {
    const fresh = new MemoryProjections();
    for await (const page of pages) {
      const fault = fresh.fault(page);
      if (fault !== undefined) throw new CommitOutage(`Writing rebuilt projections failed: ${fault}`, true, undefined);
      fresh.add(page);
    }
    this.#mustHold("rebuilt projections");
    this.#place.projections = fresh;
  }

  async freeBytes(): Promise<number | undefined> {
    return undefined;
  }

  async faults(): Promise<readonly string[]> {
    return [];
  }

  async keepReserve(): Promise<void> {}

  async giveReserve(): Promise<boolean> {
    return false;
  }

  async reopen(): Promise<void> {}

  onLost(): void {}

  async close(): Promise<void> {
    if (this.#place.holder === this) this.#place.dropHolder();
  }

  #head(): JournalHead {
    const last = this.#place.rows.at(-1);
    return last === undefined ? emptyJournal : headOf(last);
  }

  #mustHold(what: string): void {
    if (this.#place.holder === this) return;
    throw new CommitOutage(`${what} was not written: this writer no longer holds the store`, true, undefined);
  }

  #putPrivates(writes: readonly PrivateWrite[]): void {
    for (const { kind, key, value } of writes) {
      const rows = this.#place.privates.get(storable(kind)) ?? new Map<string, Uint8Array>();
      this.#place.privates.set(storable(kind), rows);
      if (value === null) rows.delete(storable(key));
      else rows.set(storable(key), Uint8Array.from(value));
    }
  }
}

/** Byte arrays are copied on the way in and out, as a database does: no caller can change a row that was written. */
function copyOf(row: JournalRow): JournalRow {
  return {
    ...row,
    inputs: Uint8Array.from(row.inputs),
    events: Uint8Array.from(row.events),
    salt: Uint8Array.from(row.salt),
    root: Uint8Array.from(row.root),
    hash: Uint8Array.from(row.hash),
  };
}

function placeOf({ seq, index }: AuditRow): string {
  return `${seq}/${index}`;
}

function matches(value: string | null, asked: string | undefined): boolean {
  return asked === undefined || value === storable(asked);
}

function underAny(account: string, roots: readonly string[], madeAt?: MadeAt, at = Number.POSITIVE_INFINITY): boolean {
  const isOf = (root: string) => isWithin(account, storable(root)) && at >= (madeAt?.get(root) ?? 0);
  return roots.length === 0 || roots.some(isOf);
}

function latestBookFirst(a: BookPlace, b: BookPlace): number {
  return b.toAt - a.toAt || b.seq - a.seq || b.index - a.index;
}

type BookPlace = NonNullable<BookPageQuery["before"]>;
