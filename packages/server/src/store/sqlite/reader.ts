import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Instant } from "@tessera/core";
import type { EventLines, JournalHead, JournalRow } from "../../journal/format.ts";
import { emptyJournal } from "../../journal/row.ts";
import { type AuditOrder, seqSpanOf } from "../audit-span.ts";
import {
  auditColumns,
  auditRowOf,
  bookColumns,
  bookRowOf,
  columnsOf,
  deviceColumns,
  deviceRowOf,
  type Found,
  jobColumns,
  jobKeyColumns,
  jobKeysOf,
  jobRowOf,
  journalColumns,
  journalRowOf,
  latestAuditFirst,
  openedGroup,
  openedLines,
  openedPrivates,
  submittedOrder,
  usageColumns,
  usageRowOf,
} from "../columns.ts";
import type { WholeReader } from "../contents.ts";
import { privateFaults, underFaults } from "../faults.ts";
import { walkJobs } from "../job-walk.ts";
import type {
  AuditPlace,
  AuditQuery,
  AuditRow,
  BookPageQuery,
  BookQuery,
  BookRow,
  DeviceRow,
  EndedJobKeys,
  EndedJobRow,
  JobGroup,
  JobKey,
  JobQuery,
  JobWalk,
  PrivateWrite,
  Projected,
  Snapshot,
  UsageRow,
  WalkedJobs,
} from "../port.ts";
import { scanPrivates, scanProjected } from "../scan.ts";
import { plain, type Sealing } from "../seal/sealing.ts";
import { storable } from "../text.ts";
import {
  auditAfterStatement,
  auditProbes,
  auditStatements,
  type Bound,
  bookPageStatement,
  bookStatement,
  countingStatement,
  type Dialect,
  groupsText,
  jobStatements,
  jobsByIdStatement,
  type Statement,
  usageStatements,
} from "../where.ts";
import { bytesIn, integrityFaults } from "./integrity.ts";

export const sqlite: Dialect = {
  mark: () => "?",
  schema: "",
  usageKey: "rowid",
  along: (index) => ` INDEXED BY ${index}`,
  sealing: plain,
};

/** Steps from device to device through the index, instead of reading the whole history of each. */
export const devicesText = `
  WITH RECURSIVE gpus(gpu) AS (
    SELECT min(gpu) FROM device
    UNION ALL
    SELECT (SELECT min(d.gpu) FROM device d WHERE d.gpu > gpus.gpu) FROM gpus WHERE gpus.gpu IS NOT NULL
  )
  SELECT ${columnsOf("d", deviceColumns)} FROM gpus CROSS JOIN device d
  WHERE d.gpu = gpus.gpu AND (d.at, d.seq) =
    (SELECT at, seq FROM device WHERE gpu = gpus.gpu AND at <= ? ORDER BY at DESC, seq DESC LIMIT 1)
  UNION ALL
  SELECT ${columnsOf("d", deviceColumns)} FROM gpus CROSS JOIN device d
  WHERE d.gpu = gpus.gpu AND d.at > ? AND d.at < ?
  ORDER BY 1, 4, 5`;

/** Answers questions from one connection. The calls are synchronous inside, so nothing is read half-way. */
export class SqliteReader implements WholeReader {
  readonly #dialect: Dialect;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, sealing: Sealing) {
    this.#db = db;
    this.#dialect = { ...sqlite, sealing };
  }

  get sealedBy(): string | undefined {
    return this.#dialect.sealing.by;
  }

  async head(): Promise<JournalHead> {
    const found = this.#all(
      "SELECT seq, hash, events_before + event_count AS events, epoch FROM journal ORDER BY seq DESC LIMIT 1",
    )[0];
    if (found === undefined) return emptyJournal;
    return { seq: found.seq, hash: found.hash, events: found.events, epoch: found.epoch };
  }

  async job(id: string): Promise<EndedJobRow | undefined> {
    return this.#all(`SELECT ${jobColumns} FROM ended_job WHERE id = ?`, storable(id)).map(this.#row(jobRowOf))[0];
  }

  async jobs(query: JobQuery): Promise<readonly EndedJobRow[]> {
    const lists = jobStatements(query, [columnsOf("j", jobColumns)], this.#dialect);
    const found = lists.flatMap(({ text, values }) => this.#all(text, ...values).map(this.#row(jobRowOf)));
    return lists.length === 1 ? found : found.sort(submittedOrder(query)).slice(0, query.limit);
  }

  async jobKeys(query: JobQuery): Promise<readonly EndedJobKeys[]> {
    const lists = jobStatements(query, [columnsOf("j", jobKeyColumns)], this.#dialect);
    return lists.flatMap(({ text, values }) => this.#all(text, ...values).map(this.#row(jobKeysOf)));
  }

  async jobsById(ids: readonly string[]): Promise<readonly EndedJobRow[]> {
    if (ids.length === 0) return [];
    const { text, values } = jobsByIdStatement(ids, [columnsOf("j", jobColumns)], this.#dialect);
    return this.#all(text, ...values).map(this.#row(jobRowOf));
  }

  walkJobs(walk: JobWalk): Promise<WalkedJobs> {
    return walkJobs(this.#ask, walk, this.#dialect);
  }

  hasOrder(key: JobKey): boolean {
    return key !== "name" || this.sealedBy === undefined;
  }

  async jobGroups(group: JobGroup): Promise<readonly string[]> {
    return this.#all(groupsText(group, this.#dialect)).map(({ value }) => openedGroup(group, value, this.#dialect));
  }

  async countJobs(query: JobQuery): Promise<number> {
    return this.#count(jobStatements(query, [], this.#dialect), query.limit);
  }

  async countAudit(query: AuditQuery): Promise<number> {
    const span = await seqSpanOf(query, this.#auditOrder());
    return this.#count(auditStatements(query, span, "1", this.#dialect), query.limit);
  }

  #count(lists: readonly Statement[], most: number): number {
    const counts = lists.map(countingStatement).map(({ text, values }) => Number(this.#all(text, ...values)[0]!.many));
    return Math.min(
      most,
      counts.reduce((sum, many) => sum + many, 0),
    );
  }

  async usage(accounts: readonly string[], fromAt: Instant, toAt: Instant): Promise<readonly UsageRow[]> {
    const lists = usageStatements(accounts, fromAt, toAt, columnsOf("u", usageColumns), this.#dialect);
    return lists.flatMap(({ text, values }) => this.#each(text, values, this.#row(usageRowOf)));
  }

  async devices(fromAt: Instant, toAt: Instant): Promise<readonly DeviceRow[]> {
    return this.#each(devicesText, [fromAt, fromAt, toAt], deviceRowOf);
  }

  async audit(query: AuditQuery): Promise<readonly AuditRow[]> {
    const span = await seqSpanOf(query, this.#auditOrder());
    const lists = auditStatements(query, span, columnsOf("a", auditColumns), this.#dialect);
    const found = lists.flatMap(({ text, values }) => this.#all(text, ...values).map(this.#row(auditRowOf)));
    return lists.length === 1 ? found : found.sort(latestAuditFirst).slice(0, query.limit);
  }

  async auditAfter(place: AuditPlace, limit: number): Promise<readonly AuditRow[]> {
    const { text, values } = auditAfterStatement(place, limit, columnsOf("a", auditColumns), this.#dialect);
    return this.#all(text, ...values).map(this.#row(auditRowOf));
  }

  #auditOrder(): AuditOrder {
    const { from, last } = auditProbes(this.#dialect);
    const first = ([row]: readonly Found[]) => row && { seq: Number(row.seq), at: Number(row.at) };
    return { from: async (seq) => first(this.#all(from, seq)), last: async () => first(this.#all(last)) };
  }

  async books(query: BookQuery): Promise<readonly BookRow[]> {
    const { text, values } = bookStatement(query, columnsOf("b", bookColumns), this.#dialect);
    return this.#all(text, ...values).map(this.#row(bookRowOf));
  }

  async bookPage(query: BookPageQuery): Promise<readonly BookRow[]> {
    const { text, values } = bookPageStatement(query, columnsOf("b", bookColumns), this.#dialect);
    return this.#all(text, ...values).map(this.#row(bookRowOf));
  }

  async privates(kind: string, keys?: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const { sealing } = this.#dialect;
    const its = storable(kind);
    const text = "SELECT kind, key, value FROM private WHERE kind = ?";
    const found =
      keys === undefined
        ? this.#all(text, its)
        : keys.flatMap((key) => this.#all(`${text} AND key = ?`, its, sealing.privateKey(its, storable(key))));
    return openedPrivates(found, sealing);
  }

  async rows(fromSeq: number, limit: number): Promise<readonly JournalRow[]> {
    return this.#all(`SELECT ${journalColumns} FROM journal WHERE seq >= ? ORDER BY seq LIMIT ?`, fromSeq, limit).map(
      this.#row(journalRowOf),
    );
  }

  async rowHashes(fromSeq: number, limit: number): Promise<readonly Uint8Array[]> {
    const text = "SELECT hash FROM journal WHERE seq >= ? ORDER BY seq LIMIT ?";
    return this.#all(text, fromSeq, limit).map(({ hash }) => hash);
  }

  async eventLines(fromSeq: number, limit: number): Promise<readonly EventLines[]> {
    const { sealing } = this.#dialect;
    const lines = sealing.by === undefined ? "CAST(events AS TEXT)" : "events";
    const text = `SELECT seq, at, event_count AS eventCount, ${lines} AS lines FROM journal
      WHERE seq >= ? ORDER BY seq LIMIT ?`;
    const found = this.#all(text, fromSeq, limit) as EventLines[];
    return sealing.by === undefined ? found : openedLines(found, sealing);
  }

  async latestSnapshot(): Promise<Snapshot | undefined> {
    const [newest] = await this.snapshots();
    return newest && this.snapshot(newest.seq);
  }

  async snapshots(): Promise<readonly Pick<Snapshot, "seq" | "schema">[]> {
    return this.#all("SELECT seq, schema FROM snapshot ORDER BY seq DESC") as Pick<Snapshot, "seq" | "schema">[];
  }

  async snapshot(seq: number): Promise<Snapshot | undefined> {
    const found = this.#all("SELECT seq, schema, hash, bytes FROM snapshot WHERE seq = ?", seq)[0];
    const { sealing } = this.#dialect;
    return (
      found && sealing.openSnapshot({ seq: found.seq, schema: found.schema, hash: found.hash, bytes: found.bytes })
    );
  }

  projected(): AsyncIterable<Projected> {
    return scanProjected(this.#ask, this.#dialect);
  }

  allPrivates(): AsyncIterable<readonly PrivateWrite[]> {
    return scanPrivates(this.#ask, this.#dialect);
  }

  async faults(bytesMax = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
    if (bytesIn(this.#db) > bytesMax) return [];
    const structure = integrityFaults(this.#db);
    if (structure.length > 0) return structure; // what reads the tables could fail, or say the same once more
    return [...(await underFaults(this.#ask, this.#dialect)), ...(await privateFaults(this.#ask, this.#dialect))];
  }

  /** The private rows that are damaged; see `faults`. */
  privateFaults(): Promise<readonly string[]> {
    return privateFaults(this.#ask, this.#dialect);
  }

  async findOperation(op: string): Promise<number | undefined> {
    return this.#all("SELECT seq FROM journal WHERE op = ?", op)[0]?.seq;
  }

  async close(): Promise<void> {
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  /** Opens rows as they come out of the tables. */
  #row<Row>(rowOf: (found: Found, sealing: Sealing) => Row): (found: Found) => Row {
    const { sealing } = this.#dialect;
    return (found) => rowOf(found, sealing);
  }

  readonly #ask = async ({ text, values }: Statement) => this.#all(text, ...values);

  #all(text: string, ...values: readonly Bound[]): Found[] {
    return this.#statement(text).all(...values);
  }

  /** For answers of a million rows: row by row, with the texts of the row before where they are the same. */
  #each<Row extends object>(text: string, values: readonly Bound[], rowOf: (found: Found) => Row): Row[] {
    const rows: Row[] = [];
    let before: Row | undefined;
    let names: (keyof Row)[] = [];
    for (const found of this.#statement(text).iterate(...values)) {
      const row = rowOf(found);
      if (before === undefined) names = Object.keys(row) as (keyof Row)[];
      else for (const name of names) if (row[name] === before[name]) row[name] = before[name];
      rows.push(row);
      before = row;
    }
    return rows;
  }

  #statement(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }
}
