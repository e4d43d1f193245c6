import { readFileSync } from "node:fs";
import { isSigned } from "./hash.ts";
import type { Keys } from "./keys.ts";

/** A signed head of a journal: its last row, and the root over the hashes of all rows. */
export interface Head {
  readonly server: string;
  readonly row: number;
  readonly hash: string;
  readonly tree: string;
  readonly at: string;
  readonly epoch: number;
  readonly key: string;
  readonly signature: string;
  /** What is signed. */
  readonly text: string;
  /** Where it was read. */
  readonly from: string;
}

const pattern =
  /^(tessera-head\/1 server=([0-9a-f]{16}) row=(\d{1,15}) hash=([0-9a-f]{64}) tree=([0-9a-f]{64}) at=(\S{20,30}) epoch=(\d{1,10}) key=([0-9a-f]{16})) sig=([A-Za-z0-9+/]{86}==)$/;

export function parseHead(line: string, from: string): Head {
  const match = pattern.exec(line.trim());
  if (match === null) throw new Error(`${from} is not a head of a journal: ${line.slice(0, 100)}`);
  const [, text = "", server = "", row, hash = "", tree = "", at = "", epoch, key = "", signature = ""] = match;
  return { server, row: Number(row), hash, tree, at, epoch: Number(epoch), key, signature, text, from };
}

/** The heads of an anchor: one a line. */
export function readAnchor(file: string): Head[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, i) => (line.trim() === "" ? [] : [parseHead(line, `${file} line ${i + 1}`)]));
}

/** What is wrong with the signature of a head; undefined when a known key made it. */
export function signatureFault(head: Head, keys: Keys): string | undefined {
  const key = keys.withId(head.key);
  if (key === undefined)
    return `${head.from}: signed by another key: ${head.key}, which the pinned key does not lead to`;
  if (!isSigned(head.text, head.signature, key)) return `${head.from}: the signature is wrong`;
  return undefined;
}
