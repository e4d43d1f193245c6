import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadonlyState } from "@tessera/core";
import { type HeadLine, isSigned, keysFrom, keyWithId, parseHead } from "@tessera/wire";
import { keyIdOf } from "../../access/signature.ts";
import type { StoreReader } from "../../store/port.ts";

/** What is wrong, and at which row. */
export interface Fault {
  readonly row: number;
  readonly text: string;
}

/**
 * Compares the journal with the heads that anchors keep: those that are folders of this machine, and the files that are
 * given. The journal itself says which anchors it has, so give the files where it may have been written again. Heads of
 * an epoch that a restore has ended are no fault: the journal tells of it.
 */
export async function anchorFault(
  reader: Pick<StoreReader, "rowHashes">,
  { trail, epoch }: ReadonlyState,
  files: readonly string[],
  rows: number,
): Promise<Fault | undefined> {
  const [first] = trail.keys;
  if (first === undefined) return undefined;
  const own = [...trail.anchors.values()]
    .filter(({ kind }) => kind === "folder")
    .map(({ to }) => join(to, `${keyIdOf(first.publicKey)}.heads`))
    .filter((file) => existsSync(file));
  const keys = await keysFrom(first.publicKey, trail.keys);
  for (const file of [...own, ...files]) {
    let agreed = 0;
    for (const head of headsIn(file)) {
      const fault = await headFault(reader, head, keys, rows, agreed);
      if (fault !== undefined && head.epoch < epoch) continue;
      if (fault !== undefined) return { ...fault, text: `${fault.text} (${file})` };
      agreed = head.row;
    }
  }
  return undefined;
}

function headsIn(file: string): HeadLine[] {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const head = parseHead(line.trim());
    if (head === undefined) throw new Error(`${file} holds a line that is not a head: ${line.slice(0, 100)}`);
    return head;
  });
}

async function headFault(
  reader: Pick<StoreReader, "rowHashes">,
  head: HeadLine,
  keys: readonly string[],
  rows: number,
  agreed: number,
): Promise<Fault | undefined> {
  const { row, at } = head;
  if (row > rows)
    return { row: rows + 1, text: `row ${row} was anchored at ${at}, but the journal ends at row ${rows}` };
  const [hash] = await reader.rowHashes(row, 1);
  if (hash === undefined || Buffer.from(hash).toString("hex") !== head.hash) {
    const text = `rows ${agreed + 1} to ${row} are not what was anchored at ${at}: the history was written again`;
    return { row: agreed + 1, text };
  }
  const key = await keyWithId(head.key, keys);
  if (key !== undefined && (await isSigned(head.text, head.signature, key))) return undefined;
  return { row, text: `the head of row ${row} is not signed by a key of this journal` };
}
