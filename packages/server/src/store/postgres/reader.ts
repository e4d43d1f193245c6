import type { Instant } from "@tessera/core";
import type { ClientBase, Pool, QueryConfig } from "pg";
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
import type { Sealing } from "../seal/sealing.ts";
import { storable } from "../text.ts";
import {
  auditAfterStatement,
  auditProbes,
  auditStatements,
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
import { schema } from "./connect.ts";

const postgres = { mark: (n: number) => `$${n}`, schema, usageKey: "row_number", along: () => "" };

const devicesText = `
  WITH RECURSIVE gpus(gpu) AS (
    SELECT min(gpu) FROM tessera.device
    UNION ALL
    SELECT (SELECT min(d.gpu) FROM tessera.device d WHERE d.gpu > gpus.gpu) FROM gpus WHERE gpus.gpu IS NOT NULL
  )
  SELECT ${columnsOf("d", deviceColumns)} FROM gpus CROSS JOIN LATERAL (
    SELECT * FROM tessera.device WHERE gpu = gpus.gpu AND at <= $1 ORDER BY at DESC, seq DESC LIMIT 1
  ) d
  UNION ALL
  SELECT ${columnsOf("d", deviceColumns)} FROM gpus JOIN tessera.device d ON d.gpu = gpus.gpu
  WHERE d.at > $1 AND d.at < $2
  ORDER BY 1, 4, 5`;

/** What can run a statement: the pool, or one connection inside a transaction. */
export type Queryable = Pick<Pool | ClientBase, "query">;

/** Answers questions through a small pool of connections. */
export class PostgresReader implements WholeReader {
  readonly #dialect: Dialect;
  readonly #source: Queryable;
  readonly #close: () => Promise<void>;

  constructor(source: Queryable, sealing: Sealing, close: () => Promise<void>) {
    this.#source = source;
    this.#dialect = { ...postgres, sealing };
    this.#close = close;
  }

  get sealedBy(): string | undefined {
    return this.#dialect.sealing.by;
  }

  async head(): Promise<JournalHead> {
    const [found] = await this.#all({
      text: `SELECT seq, hash, events_before + event_count AS events, epoch FROM tessera.journal ORDER BY seq DESC LIMIT 1`,
    });
    if (found === undefined) return emptyJournal;
    return { seq: found.seq, hash: found.hash, events: found.events, epoch: found.epoch };
  }

  async job(id: string): Promise<EndedJobRow | undefined> {
    const text = `SELECT ${jobColumns} FROM tessera.ended_job WHERE id = $1`;
    return (await this.#all({ text, values: [storable(id)] })).map(this.#row(jobRowOf))[0];
  }

  async jobs(query: JobQuery): Promise<readonly EndedJobRow[]> {
    const found = await this.#each(jobStatements(query, [columnsOf("j", jobColumns)], this.#dialect), jobRowOf);
    return found.sort(submittedOrder(query)).slice(0, query.limit);
  }

  jobKeys(query: JobQuery): Promise<readonly EndedJobKeys[]> {
    return this.#each(jobStatements(query, [columnsOf("j", jobKeyColumns)], this.#dialect), jobKeysOf);
  }

  async jobsById(ids: readonly string[]): Promise<readonly EndedJobRow[]> {
    if (ids.length === 0) return [];
    return this.#each([jobsByIdStatement(ids, [columnsOf("j", jobColumns)], this.#dialect)], jobRowOf);
  }

  walkJobs(walk: JobWalk): Promise<WalkedJobs> {
    return walkJobs(this.#ask, walk, this.#dialect);
  }

  hasOrder(key: JobKey): boolean {
    return key !== "name" || this.sealedBy === undefined;
  }

  async jobGroups(group: JobGroup): Promise<readonly string[]> {
    const found = await this.#all({ text: groupsText(group, this.#dialect) });
    return found.map(({ value }) => openedGroup(group, value, this.#dialect));
  }

  countJobs(query: JobQuery): Promise<number> {
    return this.#count(jobStatements(query, [], this.#dialect), query.limit);
  }

  async countAudit(query: AuditQuery): Promise<number> {
    const span = await seqSpanOf(query, this.#auditOrder());
    return this.#count(auditStatements(query, span, "1", this.#dialect), query.limit);
  }

  async #count(lists: readonly Statement[], most: number): Promise<number> {
    const counts = await this.#each(lists.map(countingStatement), ({ many }) => Number(many));
    return Math.min(
      most,
      counts.reduce((sum, many) => sum + many, 0),
    );
  }

  async usage(accounts: readonly string[], fromAt: Instant, toAt: Instant): Promise<readonly UsageRow[]> {
    return this.#each(usageStatements(accounts, fromAt, toAt, columnsOf("u", usageColumns), this.#dialect), usageRowOf);
  }

  async devices(fromAt: Instant, toAt: Instant): Promise<readonly DeviceRow[]> {
    return (await this.#all({ text: devicesText, values: [fromAt, toAt] })).map(deviceRowOf);
  }

  async audit(query: AuditQuery): Promise<readonly AuditRow[]> {
    const span = await seqSpanOf(query, this.#auditOrder());
    const found = await this.#each(
      auditStatements(query, span, columnsOf("a", auditColumns), this.#dialect),
      auditRowOf,
    );
    return found.sort(latestAuditFirst).slice(0, query.limit);
  }

  async auditAfter(place: AuditPlace, limit: number): Promise<readonly AuditRow[]> {
    return this.#each([auditAfterStatement(place, limit, columnsOf("a", auditColumns), this.#dialect)], auditRowOf);
  }

  #auditOrder(): AuditOrder {
    const { from, last } = auditProbes(this.#dialect);
    const first = ([row]: readonly Found[]) => row && { seq: Number(row.seq), at: Number(row.at) };
    return {
      from: async (seq) => first(await this.#all({ text: from, values: [seq] })),
      last: async () => first(await this.#all({ text: last })),
    };
  }

  async books(query: BookQuery): Promise<readonly BookRow[]> {
    return this.#each([bookStatement(query, columnsOf("b", bookColumns), this.#dialect)], bookRowOf);
  }

  async bookPage(query: BookPageQuery): Promise<readonly BookRow[]> {
    return this.#each([bookPageStatement(query, columnsOf("b", bookColumns), this.#dialect)], bookRowOf);
  }

  async privates(kind: string, keys?: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const { sealing } = this.#dialect;
    const its = storable(kind);
    const text = "SELECT kind, key, value FROM tessera.private WHERE kind = $1";
    const kept = keys?.map((key) => sealing.privateKey(its, storable(key)));
    const found = await (kept === undefined
      ? this.#all({ text, values: [its] })
      : this.#all({ text: `${text} AND key = ANY($2)`, values: [its, kept] }));
    return openedPrivates(found, sealing);
  }

  async rows(fromSeq: number, limit: number): Promise<readonly JournalRow[]> {
    const text = `SELECT ${journalColumns} FROM tessera.journal WHERE seq >= $1 ORDER BY seq LIMIT $2`;
    return (await this.#all({ text, values: [fromSeq, limit] })).map(this.#row(journalRowOf));
  }

  async rowHashes(fromSeq: number, limit: number): Promise<readonly Uint8Array[]> {
    const text = "SELECT hash FROM tessera.journal WHERE seq >= $1 ORDER BY seq LIMIT $2";
    return (await this.#all({ text, values: [fromSeq, limit] })).map(({ hash }) => hash);
  }

  async eventLines(fromSeq: number, limit: number): Promise<readonly EventLines[]> {
    const { sealing } = this.#dialect;
    const lines = sealing.by === undefined ? "convert_from(events, 'UTF8')" : "events";
    const text = `SELECT seq, at, event_count AS "eventCount", ${lines} AS lines FROM tessera.journal
      WHERE seq >= $1 ORDER BY seq LIMIT $2`;
    const found = (await this.#all({ text, values: [fromSeq, limit] })) as EventLines[];
    return sealing.by === undefined ? found : openedLines(found, sealing);
  }

  async latestSnapshot(): Promise<Snapshot | undefined> {
    const [newest] = await this.snapshots();
    return newest && this.snapshot(newest.seq);
  }

  async snapshots(): Promise<readonly Pick<Snapshot, "seq" | "schema">[]> {
    const rows = await this.#all({ text: "SELECT seq, schema FROM tessera.snapshot ORDER BY seq DESC" });
    return rows as Pick<Snapshot, "seq" | "schema">[];
  }

  async snapshot(seq: number): Promise<Snapshot | undefined> {
    const parts = await this.#all({
      text: `SELECT s.seq, s.schema, s.hash, p.bytes FROM tessera.snapshot s LEFT JOIN tessera.snapshot_part p USING (seq)
        WHERE s.seq = $1 ORDER BY p.part`,
      values: [seq],
    });
    const [found] = parts;
    if (found === undefined) return undefined;
    const bytes = Buffer.concat(parts.map((part) => part.bytes ?? Buffer.alloc(0)));
    return this.#dialect.sealing.openSnapshot({ seq: found.seq, schema: found.schema, hash: found.hash, bytes });
  }

  async faults(bytesMax?: number): Promise<readonly string[]> {
    if (bytesMax !== undefined) return [];
    return [...(await underFaults(this.#ask, this.#dialect)), ...(await privateFaults(this.#ask, this.#dialect))];
  }

  projected(): AsyncIterable<Projected> {
    return scanProjected(this.#ask, this.#dialect);
  }

  allPrivates(): AsyncIterable<readonly PrivateWrite[]> {
    return scanPrivates(this.#ask, this.#dialect);
  }

  async findOperation(op: string): Promise<number | undefined> {
    const text = "SELECT seq FROM tessera.journal WHERE op = $1";
    return (await this.#all({ text, values: [storable(op)] }))[0]?.seq;
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Opens rows as they come out of the tables. */
  #row<Row>(rowOf: (found: Found, sealing: Sealing) => Row): (found: Found) => Row {
    const { sealing } = this.#dialect;
    return (found) => rowOf(found, sealing);
  }

  readonly #ask = ({ text, values }: Statement) => this.#all({ text, values: [...values] });

  /** One after the other, since the source may be a single connection. */
  async #each<Row>(statements: readonly Statement[], rowOf: (found: Found, sealing: Sealing) => Row): Promise<Row[]> {
    const rows: Row[] = [];
    for (const statement of statements) rows.push(...(await this.#ask(statement)).map(this.#row(rowOf)));
    return rows;
  }

  async #all(query: QueryConfig): Promise<Found[]> {
    return (await this.#source.query(query)).rows;
  }
}
