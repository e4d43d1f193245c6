import { extractFrom, type InvoiceIssued, invoiceText, recompute } from "@tessera/core";
import { bytesOf, digest, hashOf, hex, isSigned } from "./history/hashes.ts";
import { type HeadLine, parseHead } from "./history/head-line.ts";
import { keysFrom, keyWithId } from "./history/keys.ts";
import { isContinued, isIncluded } from "./history/proofs.ts";
import type { ExtractShape } from "./shapes/money.ts";

/** What a tenant holds in its hands: its invoice, what it was made from, a head that was published, and a known key. */
export interface InvoiceClaim {
  /** The number that was asked for. */
  readonly number: string;
  /** The invoice as canonical JSON: `text` of its shape. */
  readonly text: string;
  readonly extract: ExtractShape;
  /** A signed head as it was published; for an older extract, the hash of a row at or after the invoice's. */
  readonly head: string;
  /** The server's signing key as it was known before (SPKI, base64); empty where none is known. */
  readonly key: string;
}

export type InvoiceVerdict =
  | { readonly sound: true; readonly checked: readonly string[] }
  | {
      readonly sound: false;
      readonly fault: string;
      /** Number of the entry of the extract that was changed, from 1. */
      readonly entry?: number;
    };

type Proof = ExtractShape["proof"];

const [eventTag, innerTag, rowTag, extractTag] = [0x00, 0x01, 0x03, 0x04];
const utf8 = new TextEncoder();

/**
 * Checks an invoice without trusting its sender: that it is the one that was asked for, each entry of the extract
 * against its hash, the hashes against the root that the journal holds, the invoice against what follows from the
 * entries, the event that issued it against the published head, and all signatures by the known key. Needs nothing but
 * what it is given; works in a terminal and in a browser.
 */
export async function verifyInvoice(claim: InvoiceClaim): Promise<InvoiceVerdict> {
  const { number, text, extract, head, key } = claim;
  const { entries, leaves, proof } = extract;
  const bad = (fault: string, entry?: number): InvoiceVerdict => ({
    ...{ sound: false, fault },
    ...(entry !== undefined && { entry }),
  });
  if (extract.invoice !== number) return bad(`the extract is of ${extract.invoice}, not of ${number}`);
  if (entries.length !== leaves.length) return bad("the extract has not one hash for each entry");
  for (const [i, entry] of entries.entries()) {
    if (hex(await hashOf(extractTag, utf8.encode(entry))) !== leaves[i])
      return bad(`entry ${i + 1} is not what was hashed: ${entry.slice(0, 100)}`, i + 1);
  }
  const issued = eventOf(proof.event);
  if (issued === undefined || issued.number !== number) return bad(`the proof is not of ${number}`);
  if (hex(await rootOf(leaves.map(bytesOf))) !== issued.extractRoot)
    return bad("the entries are not those that the journal holds the root of");
  if (computedAgain(entries) !== text) return bad("the invoice does not follow from the extract");
  if (hex(await digest(utf8.encode(text))) !== issued.textHash) return bad("the journal holds another invoice");
  if (key === "") return bad("the server's signing key is not known here: give it");
  const keys = await keysFrom(key, extract.keys ?? [{ publicKey: extract.publicKey }]);
  if (!keys.includes(extract.publicKey))
    return bad(`the extract is signed by another key: ${extract.publicKey}; known is ${key}`);
  if (!(await isSignedExtract(extract))) return bad("the signature of the extract is wrong");
  const way = await (proof.chain === undefined
    ? wayInTree(extract, head, keys)
    : wayInChain(extract, proof.chain, head));
  if ("fault" in way) return bad(way.fault);
  return {
    sound: true,
    checked: [
      `${entries.length} entries, each by its hash and all by their root`,
      "the invoice, computed again byte for byte",
      way.checked,
      `the signature, by the known key`,
    ],
  };
}

type Way = { readonly checked: string } | { readonly fault: string };

/** From the row of the event to the signed head of the extract, and from there to the published one. */
async function wayInTree(
  { proof, head: line }: ExtractShape,
  published: string,
  keys: readonly string[],
): Promise<Way> {
  const head = parseHead(line);
  const known = parseHead(published);
  if (head === undefined) return { fault: "the extract holds no signed head" };
  if (known === undefined) return { fault: `${published.slice(0, 60)} is not a signed head` };
  for (const [name, each] of [
    ["extract", head],
    ["publisher", known],
  ] as const) {
    const by = await keyWithId(each.key, keys);
    if (by === undefined) return { fault: `the head of the ${name} is signed by another key: ${each.key}` };
    if (!(await isSigned(each.text, each.signature, by)))
      return { fault: `the signature of the head of the ${name} is wrong` };
  }
  const { row = 0, tree = [] } = proof;
  const rowHash = hex(await rowHashOf(proof));
  if (!(await isIncluded({ rowHash, row, size: head.row, path: tree, root: head.tree })))
    return { fault: `row ${row}, which issued the invoice, does not lead to the head of the extract` };
  const fault = await contradiction(known, head, proof, row);
  return fault === undefined
    ? { checked: `the event that issued it, in row ${row}, up to the published head of row ${known.row}` }
    : { fault };
}

async function contradiction(
  known: HeadLine,
  head: HeadLine,
  { since }: Proof,
  row: number,
): Promise<string | undefined> {
  if (known.server !== head.server) return `the published head is of another server: ${known.server}`;
  if (known.row > head.row)
    return `the published head, of row ${known.row}, is newer than the extract: ask for it again`;
  if (known.row < row) return `the published head, of row ${known.row}, is older than the invoice, of row ${row}`;
  const path = known.row === head.row ? [] : since?.row === known.row ? since.path : undefined;
  if (path === undefined) return `the extract does not prove row ${known.row}: ask for it with that row`;
  const claim = { from: known.row, fromRoot: known.tree, size: head.row, root: head.tree, path };
  if (await isContinued(claim)) return undefined;
  return `the history was rewritten: the head of row ${head.row} does not continue the published head of row ${known.row}`;
}

/** In older extracts: row by row to the head. */
async function wayInChain(extract: ExtractShape, chain: NonNullable<Proof["chain"]>, head: string): Promise<Way> {
  let row = await rowHashOf(extract.proof);
  const hashes = [hex(row)];
  for (const { cover, root } of chain) {
    row = await hashOf(rowTag, row, bytesOf(cover), bytesOf(root));
    hashes.push(hex(row));
  }
  const hash = parseHead(head)?.hash ?? head;
  if (hashes.at(-1) !== extract.head) return { fault: "the proof does not lead to the head of the extract" };
  if (!hashes.includes(hash))
    return { fault: `the published head ${hash.slice(0, 16)}… is not on the way of the proof` };
  return { checked: `the event that issued it, over ${hashes.length} rows to the published head` };
}

function eventOf(line: string): InvoiceIssued | undefined {
  try {
    const event = JSON.parse(line) as InvoiceIssued;
    return event.kind === "invoice-issued" ? event : undefined;
  } catch {
    return undefined;
  }
}

function computedAgain(entries: readonly string[]): string | undefined {
  try {
    const invoice = recompute(extractFrom(entries));
    return invoice === undefined ? undefined : invoiceText(invoice);
  } catch {
    return undefined;
  }
}

/** The hash of the row that holds the event. */
async function rowHashOf(proof: Proof): Promise<Uint8Array> {
  let node = await hashOf(eventTag, bytesOf(proof.leafSalt), utf8.encode(proof.event));
  for (const { side, hash } of proof.path) {
    const other = bytesOf(hash);
    node = await (side === "left" ? hashOf(innerTag, other, node) : hashOf(innerTag, node, other));
  }
  return hashOf(rowTag, bytesOf(proof.previousHash), bytesOf(proof.cover), node);
}

/** Pairs from the left, level by level; the last of an odd level moves up as it is. */
async function rootOf(leaves: readonly Uint8Array[]): Promise<Uint8Array> {
  let level = [...leaves];
  if (level.length === 0) return digest(new Uint8Array(32));
  while (level.length > 1) {
    const above: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i]!, level[i + 1]];
      above.push(right === undefined ? left : await hashOf(innerTag, left, right));
    }
    level = above;
  }
  return level[0]!;
}

function isSignedExtract({ signature, publicKey, ...signed }: ExtractShape): Promise<boolean> {
  return isSigned(JSON.stringify(signed), signature, publicKey);
}
