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
  jobRowOf,
  journalColumns,
  journalRowOf,
  latestAuditFirst,
  newestJobFirst,
  usageColumns,
  usageRowOf,
} from "../columns.ts";
import type { WholeReader } from "../contents.ts";
import { privateFaults, underFaults } from "../faults.ts";
import type {
  AuditPlace,
  AuditQuery,
  AuditRow,
  BookPageQuery,
  BookQuery,
  BookRow,
  DeviceRow,
  EndedJobRow,
  JobQuery,
  PrivateWrite,
  Projected,
  Snapshot,
  UsageRow,
} from "../port.ts";
import { scanPrivates, scanProjected } from "../scan.ts";
import { storable } from "../text.ts";
import {
  auditAfterStatement,
  auditProbes,
  auditStatements,
  bookPageStatement,
  bookStatement,
  countingStatement,
  type Dialect,
  jobStatements,
  type Statement,
  usageStatements,
} from "../where.ts";
import { schema } from "./connect.ts";

const postgres: Dialect = { mark: (n) => `$${n}`, schema, usageKey: "row_number" };

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
  readonly #source: Queryable;
  readonly #close: () => Promise<void>;

  constructor(source: Queryable, close: () => Promise<void>) {
    this.#source = source;
    this.#close = close;
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
    return (await this.#all({ text, values: [storable(id)] })).map(jobRowOf)[0];
  }

  async jobs(query: JobQuery): Promise<readonly EndedJobRow[]> {
    const found = await this.#each(jobStatements(query, columnsOf("j", jobColumns), postgres), jobRowOf);
    return found.sort(newestJobFirst).slice(0, query.limit);
  }

  countJobs(query: JobQuery): Promise<number> {
    return this.#count(jobStatements(query, "1", postgres), query.limit);
  }

  async countAudit(query: AuditQuery): Promise<number> {
    const span = await seqSpanOf(query, this.#auditOrder());
    return this.#count(auditStatements(query, span, "1", postgres), query.limit);
  }

  async #count(lists: readonly Statement[], most: number): Promise<number> {
    const counts = await this.#each(lists.map(countingStatement), ({ many }) => Number(many));
    return Math.min(
      most,
      counts.reduce((sum, many) => sum + many, 0),
    );
  }

  async usage(accounts: readonly string[], fromAt: Instant, toAt: Instant): Promise<readonly UsageRow[]> {
    return this.#each(usageStatements(accounts, fromAt, toAt, columnsOf("u", usageColumns), postgres), usageRowOf);
  }

  async devices(fromAt: Instant, toAt: Instant): Promise<readonly DeviceRow[]> {
    return (await this.#all({ text: devicesText, values: [fromAt, toAt] })).map(deviceRowOf);
  }

  async audit(query: AuditQuery): Promise<readonly AuditRow[]> {
    const span = await seqSpanOf(query, this.#auditOrder());
    const found = await this.#each(auditStatements(query, span, columnsOf("a", auditColumns), postgres), auditRowOf);
    return found.sort(latestAuditFirst).slice(0, query.limit);
  }

  async auditAfter(place: AuditPlace, limit: number): Promise<readonly AuditRow[]> {
    return this.#each([auditAfterStatement(place, limit, columnsOf("a", auditColumns), postgres)], auditRowOf);
  }

  #auditOrder(): AuditOrder {
    const { from, last } = auditProbes(postgres);
    const first = ([row]: readonly Found[]) => row && { seq: Number(row.seq), at: Number(row.at) };
    return {
      from: async (seq) => first(await this.#all({ text: from, values: [seq] })),
      last: async () => first(await this.#all({ text: last })),
    };
  }

  async books(query: BookQuery): Promise<readonly BookRow[]> {
    return this.#each([bookStatement(query, columnsOf("b", bookColumns), postgres)], bookRowOf);
  }

  async bookPage(query: BookPageQuery): Promise<readonly BookRow[]> {
    return this.#each([bookPageStatement(query, columnsOf("b", bookColumns), postgres)], bookRowOf);
  }

  async privates(kind: string, keys?: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const text = "SELECT key, value FROM tessera.private WHERE kind = $1";
    const found = await (keys === undefined
      ? this.#all({ text, values: [storable(kind)] })
      : this.#all({ text: `${text} AND key = ANY($2)`, values: [storable(kind), keys.map(storable)] }));
    return new Map(found.map(({ key, value }) => [key, value]));
  }

  async rows(fromSeq: number, limit: number): Promise<readonly JournalRow[]> {
    const text = `SELECT ${journalColumns} FROM tessera.journal WHERE seq >= $1 ORDER BY seq LIMIT $2`;
    return (await this.#all({ text, values: [fromSeq, limit] })).map(journalRowOf);
  }

  async rowHashes(fromSeq: number, limit: number): Promise<readonly Uint8Array[]> {
    const text = "SELECT hash FROM tessera.journal WHERE seq >= $1 ORDER BY seq LIMIT $2";
    return (await this.#all({ text, values: [fromSeq, limit] })).map(({ hash }) => hash);
  }

  async eventLines(fromSeq: number, limit: number): Promise<readonly EventLines[]> {
    const text = `SELECT seq, at, event_count AS "eventCount", convert_from(events, 'UTF8') AS lines FROM tessera.journal
      WHERE seq >= $1 ORDER BY seq LIMIT $2`;
    return (await this.#all({ text, values: [fromSeq, limit] })) as EventLines[];
  }

  async latestSnapshot(): Promise<Snapshot | undefined> {
    const parts = await this.#all({
      text: `SELECT s.seq, s.schema, s.hash, p.bytes FROM tessera.snapshot s LEFT JOIN tessera.snapshot_part p USING (seq)
        WHERE s.seq = (SELECT max(seq) FROM tessera.snapshot) ORDER BY p.part`,
    });
    const [found] = parts;
    if (found === undefined) return undefined;
    const bytes = Buffer.concat(parts.map((part) => part.bytes ?? Buffer.alloc(0)));
    return { seq: found.seq, schema: found.schema, hash: found.hash, bytes };
  }

  async faults(bytesMax?: number): Promise<readonly string[]> {
    if (bytesMax !== undefined) return [];
    return [...(await underFaults(this.#ask, postgres)), ...(await privateFaults(this.#ask, postgres))];
  }

  projected(): AsyncIterable<Projected> {
    return scanProjected(this.#ask, postgres);
  }

  allPrivates(): AsyncIterable<readonly PrivateWrite[]> {
    return scanPrivates(this.#ask, postgres);
  }

  async findOperation(op: string): Promise<number | undefined> {
    const text = "SELECT seq FROM tessera.journal WHERE op = $1";
    return (await this.#all({ text, values: [storable(op)] }))[0]?.seq;
  }

  close(): Promise<void> {
    return this.#close();
  }

  readonly #ask = ({ text, values }: Statement) => this.#all({ text, values: [...values] });

  /** One after the other, since the source may be a single connection. */
  async #each<Row>(statements: readonly Statement[], rowOf: (found: Found) => Row): Promise<Row[]> {
    const rows: Row[] = [];
    for (const statement of statements) rows.push(...(await this.#ask(statement)).map(rowOf));
    return rows;
  }

  async #all(query: QueryConfig): Promise<Found[]> {
    return (await this.#source.query(query)).rows;
  }
}
