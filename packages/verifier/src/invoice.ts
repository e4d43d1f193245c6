import { hex, isSigned, sha256, tag, tagged, unhex } from "./hash.ts";
import { type Head, parseHead, signatureFault } from "./head.ts";
import { Keys, type NamedKey } from "./keys.ts";
import { rootOfPairs } from "./rows.ts";
import { isContinued, isIncluded } from "./tree.ts";
import { bad, type Verdict } from "./verdict.ts";

/** What `tess invoice extract` wrote. */
export interface Extract {
  readonly invoice: string;
  readonly entries: readonly string[];
  readonly leaves: readonly string[];
  readonly proof: {
    readonly event: string;
    readonly leafSalt: string;
    readonly path: readonly { readonly side: "left" | "right"; readonly hash: string }[];
    readonly cover: string;
    readonly previousHash: string;
    readonly row: number;
    readonly tree: readonly string[];
    readonly since?: { readonly row: number; readonly path: readonly string[] };
  };
  readonly head: string;
  readonly keys: readonly NamedKey[];
  readonly signature: string;
  readonly publicKey: string;
}

interface Issued {
  readonly kind: string;
  readonly number: string;
  readonly extractRoot: string;
  readonly textHash: string;
}

export interface InvoiceClaim {
  readonly number: string;
  /** The invoice as it was committed: `text` of what `tess invoice show -o json` writes. */
  readonly text: string;
  readonly extract: Extract;
  readonly anchored: readonly Head[];
  readonly pinned: string;
}

/** Checks an invoice by its number: what it was made from, that the journal holds it, and that an anchor knows that journal. */
export function verifyInvoice({ number, text, extract, anchored, pinned }: InvoiceClaim): Verdict {
  const { entries, leaves, proof, signature, publicKey, ...rest } = extract;
  if (extract.invoice !== number) return bad(`these are the files of ${extract.invoice}, not of ${number}`);
  const keys = new Keys(pinned);
  if (!keys.followAll(extract.keys ?? []) || !keys.has(publicKey))
    return bad(`the extract is signed by another key: ${publicKey}; the pinned key is ${pinned}`);
  const signed = JSON.stringify({ invoice: rest.invoice, entries, leaves, proof, head: rest.head, keys: rest.keys });
  if (!isSigned(signed, signature, publicKey)) return bad("the signature of the extract is wrong");
  const issued = issuedIn(proof.event);
  if (issued?.number !== number) return bad(`the event that the proof shows did not issue ${number}`);
  const wrong = entries.findIndex((entry, i) => hex(tagged(tag.entry, Buffer.from(entry))) !== leaves[i]);
  if (wrong !== -1 || leaves.length !== entries.length)
    return bad(`entry ${wrong + 1} of the extract is not what was hashed: ${entries[wrong]?.slice(0, 100)}`);
  if (hex(rootOfPairs(leaves.map(unhex))) !== issued.extractRoot)
    return bad("the entries are not those that the journal holds the root of");
  if (hex(sha256(Buffer.from(text))) !== issued.textHash) return bad("the journal holds another invoice");
  return inJournal(extract, anchored, keys) ?? proved(extract, anchored);
}

/** What is wrong with the way from the event to the head of the extract. */
function inJournal({ proof, head: line }: Extract, anchored: readonly Head[], keys: Keys): Verdict | undefined {
  const head = parseHead(line, "the head of the extract");
  for (const each of [head, ...anchored]) {
    const fault = signatureFault(each, keys);
    if (fault !== undefined) return bad(fault);
    if (each.server !== head.server) return bad(`${each.from}: of another server: ${each.server}, not ${head.server}`);
  }
  let node = tagged(tag.event, unhex(proof.leafSalt), Buffer.from(proof.event));
  for (const { side, hash } of proof.path)
    node = side === "left" ? tagged(tag.pair, unhex(hash), node) : tagged(tag.pair, node, unhex(hash));
  const rowHash = tagged(tag.row, unhex(proof.previousHash), unhex(proof.cover), node);
  if (isIncluded(rowHash, proof.row, head.row, proof.tree, head.tree)) return undefined;
  return bad(
    `row ${proof.row}, which issued the invoice, is not in the journal that the head of the extract signs`,
    proof.row,
  );
}

/** The verdict of the anchored heads. */
function proved({ proof, head: line, entries }: Extract, anchored: readonly Head[]): Verdict {
  const head = parseHead(line, "the head of the extract");
  const { row, since } = proof;
  const checked = [
    `${entries.length} entries, each by its hash and all by their root`,
    `the invoice, byte for byte, and the event that issued it in row ${row}`,
    `the signatures, by the pinned key`,
  ];
  if (anchored.length === 0)
    return {
      sound: true,
      checked: [...checked, "NO ANCHOR: a history that was written again as a whole is not noticed"],
    };
  for (const known of anchored.filter((each) => each.row >= row)) {
    const path = known.row === head.row ? [] : since?.row === known.row ? since.path : undefined;
    if (path === undefined) continue;
    if (!isContinued(known, head, path))
      return bad(
        `rewritten: the journal of the extract does not continue row ${known.row} as anchored at ${known.at} (${known.from})`,
        row,
      );
    return { sound: true, checked: [...checked, `the anchored head of row ${known.row} of ${known.at}`] };
  }
  const usable = anchored.filter((each) => each.row >= row && each.row <= head.row).at(-1);
  const ask =
    usable === undefined
      ? "wait until a head after it is anchored"
      : `ask for it with tess invoice extract --since ${usable.row}`;
  return bad(`the extract proves none of the anchored heads at or after row ${row}: ${ask}`);
}

function issuedIn(line: string): Issued | undefined {
  try {
    const event = JSON.parse(line) as Issued;
    return event.kind === "invoice-issued" ? event : undefined;
  } catch {
    return undefined;
  }
}
