import type { Person } from "../../access/people.ts";
import type { ControlPlane } from "../../flow/control.ts";
import { addressesOf } from "../../flow/notice/origins.ts";
import { sha256 } from "../../journal/digest.ts";
import type { AuditPlace, AuditRow, StoreReader } from "../../store/port.ts";
import { Outbox, type OutboxOptions } from "../outbox.ts";
import { FileSink } from "./file-sink.ts";
import { HttpSink } from "./http-sink.ts";
import { type AuditRecord, type Known, recordOf } from "./record.ts";
import { SyslogSink } from "./syslog-sink.ts";
import type { AuditTarget } from "./target.ts";

export interface AuditOutletOptions {
  readonly target: AuditTarget;
  readonly control: Pick<ControlPlane, "reader" | "ask" | "now">;
  /** The last row of the journal when the server started: what came before the first use of a target is not sent. */
  readonly headSeq: number;
  /** The file of the cursor, by the name that it has in the data folder. */
  readonly fileOf: (name: string) => string;
  /** Signs what a collector is sent. */
  readonly key: Buffer;
  readonly sleep: OutboxOptions<AuditRecord>["sleep"];
  readonly warn: (text: string) => void;
  /** It began to fail, for this reason, or works again. */
  readonly turned: (name: string, fault: string | undefined) => void;
}

const rowsPerPage = 2_000;
/** What is written in the same moment is sent together. */
const gatherMs = 200;
const last = Number.MAX_SAFE_INTEGER;

/** Sends the audit to one target, from its first use on, each record at least once and in order. */
export class AuditOutlet extends Outbox<AuditRecord> {
  readonly #sink: Sink;

  constructor({ target, control, headSeq, fileOf, key, sleep, warn, turned }: AuditOutletOptions) {
    const sink = sinkOf(target, key, () => control.now());
    super({
      name: `audit to ${target.name}`,
      cursorFile: fileOf(`audit-${sha256(Buffer.from(target.name)).toString("hex").slice(0, 12)}.cursor`),
      // After a restore the rows have other numbers: the one that tells of it is sent too.
      startFrom: (kept) => cursorOf({ seq: kept === undefined ? headSeq : headSeq - 1, index: last }),
      isKnown: (cursor) => (placeOf(cursor)?.seq ?? last) <= headSeq,
      read: (after) => readRecords(control.reader, placeOf(after) ?? { seq: headSeq, index: last }, target.people),
      send: (records, signal) => sink.send(records, signal),
      batchMax: sink.batchMax,
      isNews: () => true,
      gatherMs,
      sleep,
      warn,
      turned: (fault) => {
        turned(target.name, fault);
        void noteTurn(control, target.name, fault);
      },
    });
    this.#sink = sink;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#sink.close();
  }
}

interface Sink {
  readonly batchMax: number;
  send(records: readonly AuditRecord[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

function sinkOf(target: AuditTarget, key: Buffer, now: () => number): Sink {
  switch (target.kind) {
    case "file":
      return new FileSink(target);
    case "syslog":
      return new SyslogSink(target);
    case "http":
      return new HttpSink(target, key, now);
  }
}

async function readRecords(reader: StoreReader, after: AuditPlace, people: boolean) {
  const rows = await reader.auditAfter(after, rowsPerPage);
  const known = people ? await knownOf(reader, rows) : undefined;
  return {
    items: rows.map((row) => ({ message: recordOf(row, known), upTo: cursorOf(row) })),
    upTo: cursorOf(rows.at(-1) ?? after),
    more: rows.length === rowsPerPage,
  };
}

async function knownOf(reader: StoreReader, rows: readonly AuditRow[]): Promise<Known> {
  const found = await reader.privates("person", [...new Set(rows.map(({ actor }) => actor))]);
  const names = new Map(
    [...found].map(([id, value]) => [id, (JSON.parse(Buffer.from(value).toString("utf8")) as Person).name]),
  );
  return {
    names,
    addresses: await addressesOf(
      reader,
      rows.flatMap(({ origin }) => origin ?? []),
    ),
  };
}

function cursorOf({ seq, index }: AuditPlace): string {
  return `${seq}.${index}`;
}

function placeOf(cursor: string): AuditPlace | undefined {
  const [, seq, index] = /^(\d{1,16})\.(\d{1,16})$/.exec(cursor) ?? [];
  return seq === undefined || index === undefined ? undefined : { seq: Number(seq), index: Number(index) };
}

/** That records do not get out is a record itself, once, and so is that they do again. */
async function noteTurn(control: Pick<ControlPlane, "ask">, name: string, fault: string | undefined): Promise<void> {
  const outcome = fault === undefined ? "changed" : "failed";
  const detail = fault === undefined ? "records are taken again" : `records are not taken: ${fault.slice(0, 200)}`;
  const note = {
    user: "system",
    action: "audit.send",
    request: "",
    account: "",
    target: name.slice(0, 200),
    outcome,
    detail,
    count: 1,
  } as const;
  try {
    await control.ask({ kind: "audit.note", notes: [note] }, { actor: { user: "system" }, request: "audit-send" });
  } catch {} // the writer has stopped, or the disk is full: what matters is on standard error
}
