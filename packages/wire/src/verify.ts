import { extractFrom, type InvoiceIssued, invoiceText, recompute } from "@tessera/core";
import type { ExtractShape } from "./shapes/money.ts";

/** What a tenant holds in its hands: its invoice, what it was made from, and a head that was published. */
export interface InvoiceClaim {
  /** The invoice as canonical JSON: `text` of its shape. */
  readonly text: string;
  readonly extract: ExtractShape;
  /** Hash of any row at or after the one that issued the invoice, as it was published; hexadecimal. */
  readonly head: string;
}

export type InvoiceVerdict =
  | { readonly sound: true; readonly checked: readonly string[] }
  | {
      readonly sound: false;
      readonly fault: string;
      /** Number of the entry of the extract that was changed, from 1. */
      readonly entry?: number;
    };

const [eventTag, innerTag, rowTag, extractTag] = [0x00, 0x01, 0x03, 0x04];
const utf8 = new TextEncoder();

/**
 * Checks an invoice without trusting its sender: each entry of the extract against its hash, the hashes against the
 * root that the journal holds, the invoice against what follows from the entries, and the event that issued it against
 * the published head. Needs nothing but what it is given; works in a terminal and in a browser.
 */
export async function verifyInvoice({ text, extract, head }: InvoiceClaim): Promise<InvoiceVerdict> {
  const { entries, leaves, proof } = extract;
  const bad = (fault: string, entry?: number): InvoiceVerdict => ({
    ...{ sound: false, fault },
    ...(entry !== undefined && { entry }),
  });
  if (entries.length !== leaves.length) return bad("the extract has not one hash for each entry");
  for (const [i, entry] of entries.entries()) {
    if (hex(await hashOf(extractTag, utf8.encode(entry))) !== leaves[i])
      return bad(`entry ${i + 1} is not what was hashed: ${entry.slice(0, 100)}`, i + 1);
  }
  const issued = eventOf(proof.event);
  if (issued === undefined || issued.number !== extract.invoice) return bad("the proof is not of this invoice");
  if (hex(await rootOf(leaves.map(bytesOf))) !== issued.extractRoot)
    return bad("the entries are not those that the journal holds the root of");
  const again = computedAgain(entries);
  if (again !== text) return bad("the invoice does not follow from the extract");
  if (hex(await digest(utf8.encode(text))) !== issued.textHash) return bad("the journal holds another invoice");
  const hashes = await rowHashes(proof);
  if (hashes.at(-1) !== extract.head) return bad("the proof does not lead to the head of the extract");
  if (!hashes.includes(head)) return bad(`the published head ${head.slice(0, 16)}… is not on the way of the proof`);
  if (!(await isSigned(extract))) return bad("the signature of the extract is wrong");
  return {
    sound: true,
    checked: [
      `${entries.length} entries, each by its hash and all by their root`,
      "the invoice, computed again byte for byte",
      `the event that issued it, over ${hashes.length} rows to the published head`,
      "the signature",
    ],
  };
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

/** The hashes of the row that holds the event and of each one after it, in order. */
async function rowHashes(proof: ExtractShape["proof"]): Promise<string[]> {
  let node = await hashOf(eventTag, bytesOf(proof.leafSalt), utf8.encode(proof.event));
  for (const { side, hash } of proof.path) {
    const other = bytesOf(hash);
    node = await (side === "left" ? hashOf(innerTag, other, node) : hashOf(innerTag, node, other));
  }
  let row = await hashOf(rowTag, bytesOf(proof.previousHash), bytesOf(proof.cover), node);
  const hashes = [hex(row)];
  for (const { cover, root } of proof.chain) {
    row = await hashOf(rowTag, row, bytesOf(cover), bytesOf(root));
    hashes.push(hex(row));
  }
  return hashes;
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

async function isSigned({ signature, publicKey, ...signed }: ExtractShape): Promise<boolean> {
  const algorithm = { name: "Ed25519" };
  try {
    const key = await crypto.subtle.importKey("spki", base64(publicKey), algorithm, false, ["verify"]);
    return await crypto.subtle.verify(algorithm, key, base64(signature), utf8.encode(JSON.stringify(signed)));
  } catch {
    return false;
  }
}

function hashOf(tag: number, ...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const length = parts.reduce((sum, part) => sum + part.length, 1);
  const message = new Uint8Array(length);
  message[0] = tag;
  let place = 1;
  for (const part of parts) {
    message.set(part, place);
    place += part.length;
  }
  return digest(message);
}

async function digest(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", message));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function base64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
