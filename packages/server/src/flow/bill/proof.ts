import { extractLines, type Instant, type Period, readLine } from "@tessera/core";
import type { ExtractShape } from "@tessera/wire";
import type { Signer } from "../../access/signature.ts";
import { linesOf } from "../../journal/lines.ts";
import { proveEvent } from "../../journal/row.ts";
import type { ControlPlane } from "../control.ts";
import type { Heads } from "../trail/heads.ts";
import { extractFor, type Rated, ratePeriod } from "./bill.ts";
import { extractLeaf, extractRoot, type IssuedInvoice } from "./close.ts";
import { monthOf, ratedMonths, type TenantMonth, tenantMonths } from "./tenant-months.ts";

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** What proofs are made with. */
interface Proving {
  readonly control: ControlPlane;
  readonly heads: Heads;
  readonly signature: Signer;
}

/**
 * What an invoice was made from, with the way from there to the signed head of the journal, and to the head of row
 * `since` where one was asked for. Undefined where what is known now no longer gives what was committed: the difference
 * is in the corrections of the next invoice.
 */
export async function extractWithProof(
  { control, heads, signature }: Proving,
  issued: IssuedInvoice,
  seq: number,
  since: number | undefined,
): Promise<ExtractShape | undefined> {
  const entries = entriesAsIssued(issued, await ratedAgain(control, issued));
  if (entries === undefined) return undefined;
  const { number } = issued;
  const head = await heads.current();
  const extract = {
    invoice: number,
    entries,
    leaves: entries.map((entry) => hex(extractLeaf(entry))),
    proof: {
      ...(await eventProof(control, number, seq)),
      row: seq,
      tree: await heads.inclusion(seq, head.row),
      ...(since !== undefined &&
        since <= head.row && { since: { row: since, path: await heads.consistency(since, head.row) } }),
    },
    head: head.line,
    keys: heads.keys(),
  };
  return { ...extract, signature: await signature.of(JSON.stringify(extract)), publicKey: signature.publicKey };
}

/** The month, or the part of it, as it was rated when the invoice was issued. */
async function ratedAgain(control: ControlPlane, { tenant, period }: IssuedInvoice) {
  const { reader, state } = control;
  const now = control.now();
  const rate = (part: Period) => ratePeriod(reader, state, part, now);
  const month = monthOf(period);
  const isIt = ({ period: { fromAt, toAt } }: TenantMonth) => fromAt === period.fromAt && toAt === period.toAt;
  const part = tenantMonths(state, tenant, month).find(isIt);
  if (part === undefined || part.period === month) return { rated: await rate(period), sinceAt: part?.sinceAt ?? 0 };
  const parts = await ratedMonths(state, tenant, month, await rate(month), rate);
  return parts.find(isIt)!;
}

/** The entries with the root that was committed. Once, an invoice followed from all guarantees of its tenant's name. */
function entriesAsIssued(
  { tenant, mode, lines, extractRoot: root }: IssuedInvoice,
  { rated, sinceAt }: { readonly rated: Rated; readonly sinceAt: Instant },
): string[] | undefined {
  const corrections = lines.map(readLine).filter(({ kind }) => kind === "correction");
  for (const since of new Set([sinceAt, 0])) {
    const entries = extractLines(extractFor(rated, tenant, mode, corrections, since));
    if (extractRoot(entries) === root) return entries;
  }
  return undefined;
}

/** The way from the event that issued an invoice to the hash of its row. */
async function eventProof({ reader }: ControlPlane, number: string, seq: number) {
  const rows = await reader.rows(Math.max(1, seq - 1), 2);
  const row = rows.find((each) => each.seq === seq);
  if (row === undefined) throw new Error(`row ${seq} of the journal cannot be read`);
  const before = rows.find((each) => each.seq === seq - 1);
  const index = linesOf(row.events).findIndex((line) => line.includes(`"number":"${number}"`));
  const { event, leafSalt, path, cover, previousHash } = proveEvent(row, before?.hash ?? new Uint8Array(32), index);
  return {
    event,
    leafSalt: hex(leafSalt),
    path: path.map(({ side, hash }) => ({ side, hash: hex(hash) })),
    cover: hex(cover),
    previousHash: hex(previousHash),
  };
}
