import { extractLines, readLine } from "@tessera/core";
import type { ExtractShape } from "@tessera/wire";
import type { Signer } from "../../access/signature.ts";
import type { JournalRow } from "../../journal/format.ts";
import { linesOf } from "../../journal/lines.ts";
import { coverOf, proveEvent } from "../../journal/row.ts";
import type { ControlPlane } from "../control.ts";
import { extractFor, ratePeriod } from "./bill.ts";
import { extractLeaf, extractRoot, type IssuedInvoice } from "./close.ts";

const rowsPerPage = 200;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/**
 * What an invoice was made from, with the way from there to the head of the journal. Undefined where what is known now
 * no longer gives what was committed: the difference is in the corrections of the next invoice.
 */
export async function extractWithProof(
  control: ControlPlane,
  issued: IssuedInvoice,
  seq: number,
  signature: Signer,
): Promise<ExtractShape | undefined> {
  const { reader, state } = control;
  const { tenant, period, mode, number } = issued;
  const corrections = issued.lines.map(readLine).filter(({ kind }) => kind === "correction");
  const rated = await ratePeriod(reader, state, period, control.now());
  const entries = extractLines(extractFor(rated, tenant, mode, corrections));
  if (extractRoot(entries) !== issued.extractRoot) return undefined;
  const first = Math.max(1, seq - 1);
  const rows: JournalRow[] = [];
  for (let from = first; ; from += rowsPerPage) {
    const page = await reader.rows(from, rowsPerPage);
    rows.push(...page);
    if (page.length < rowsPerPage) break;
  }
  const row = rows.find((each) => each.seq === seq)!;
  const before = rows.find((each) => each.seq === seq - 1);
  const index = linesOf(row.events).findIndex((line) => line.includes(`"number":"${number}"`));
  const { event, leafSalt, path, cover, previousHash } = proveEvent(row, before?.hash ?? new Uint8Array(32), index);
  const later = rows.filter((each) => each.seq > seq);
  const extract = {
    invoice: number,
    entries,
    leaves: entries.map((entry) => hex(extractLeaf(entry))),
    proof: {
      event,
      leafSalt: hex(leafSalt),
      path: path.map(({ side, hash }) => ({ side, hash: hex(hash) })),
      cover: hex(cover),
      previousHash: hex(previousHash),
      chain: later.map((each) => ({ cover: hex(coverOf(each)), root: hex(each.root) })),
    },
    head: hex((later.at(-1) ?? row).hash),
  };
  return { ...extract, signature: await signature.of(JSON.stringify(extract)), publicKey: signature.publicKey };
}
