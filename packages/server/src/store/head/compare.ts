import type { JournalHead, JournalRow } from "../../journal/format.ts";
import { type OpenOptions, StoreDamaged } from "../port.ts";
import { HeadFile, makeHeadFile, type NotedHead, readHeadFile } from "./head-file.ts";

/** How the store compares with the head that was noted beside it. */
export type HeadComparison =
  | { readonly is: "same" }
  | { readonly is: "missing" }
  | { readonly is: "half-damaged"; readonly message: string }
  | { readonly is: "damaged"; readonly message: string }
  | { readonly is: "lost"; readonly message: string; readonly noted: NotedHead; readonly found: JournalHead };

interface Rows {
  head(): Promise<JournalHead>;
  rows(fromSeq: number, limit: number): Promise<readonly Pick<JournalRow, "seq" | "hash">[]>;
}

/** The file is read before the store: while a server writes, the store can then only be ahead. */
export async function compareHead(path: string, place: string, open: () => Promise<Rows>): Promise<HeadComparison> {
  const read = readHeadFile(path);
  if (read.is === "missing") return read;
  if (read.is === "damaged") {
    const message =
      `The head file ${path} is damaged: ${read.fault}. It tells whether the store in ${place} is complete. ` +
      `Check the store with tess admin verify, and restore a backup if rows are missing. ` +
      `If the store is as it should be, declare so: tess admin accept-loss writes the file again.`;
    return { is: "damaged", message };
  }
  const noted = read.head;
  const rows = await open();
  const found = await rows.head();
  const [row] = noted.seq === 0 || noted.seq > found.seq ? [] : await rows.rows(noted.seq, 1);
  if (noted.seq > found.seq) {
    const lost = noted.seq - found.seq === 1 ? `row ${noted.seq}` : `rows ${found.seq + 1} to ${noted.seq}`;
    const message =
      `The store in ${place} has lost ${lost}: it ends at row ${found.seq} (hash ${short(found.hash)}), but row ` +
      `${noted.seq} (hash ${short(noted.hash)}) was written, as its head file ${path} says. ${whatToDo(`without ${lost}`)}`;
    return { is: "lost", message, noted, found };
  }
  if (noted.seq > 0 && (row?.seq !== noted.seq || Buffer.compare(row.hash, noted.hash) !== 0)) {
    const message =
      `The store in ${place} is not the one that was written here: its row ${noted.seq} has the hash ` +
      `${row === undefined ? "none" : short(row.hash)}, but row ${noted.seq} with the hash ${short(noted.hash)} was ` +
      `written, as its head file ${path} says; it ends at row ${found.seq} (hash ${short(found.hash)}). ` +
      whatToDo("with the store as it is");
    return { is: "lost", message, noted, found };
  }
  if (!read.halfDamaged) return { is: "same" };
  const message = `one of the two copies in the head file ${path} is damaged; the other agrees with the store (row ${noted.seq})`;
  return { is: "half-damaged", message };
}

/** The head file of a store that is being opened. Throws StoreDamaged when the store is not what the file says. */
export async function openHeadFile(path: string, place: string, rows: Rows, options: OpenOptions): Promise<HeadFile> {
  const { acceptLoss = false, say = (text) => console.error(`tessera: ${text}`) } = options;
  const comparison = await compareHead(path, place, async () => rows);
  const found = await rows.head();
  let obsolete = false;
  switch (comparison.is) {
    case "same":
      break;
    case "missing":
      makeHeadFile(path, found);
      if (found.seq > 0) say(`there was no head file ${path} yet; it was made for row ${found.seq}`);
      break;
    case "half-damaged":
      makeHeadFile(path, found);
      say(`${comparison.message}; it was written again`);
      break;
    case "damaged":
    case "lost":
      if (!acceptLoss) throw new StoreDamaged(comparison.message);
      obsolete = true;
  }
  return new HeadFile(path, found, obsolete, say);
}

/** How the journal tells that somebody decided to go on with a store that is not what its head file says. */
export function lossOf(comparison: HeadComparison & { readonly is: "lost" | "damaged" }): string {
  if (comparison.is === "damaged") return "accepted as it is: its head file was damaged";
  const { noted, found } = comparison;
  return (
    `loss accepted: the store ended at row ${found.seq} (hash ${short(found.hash)}), ` +
    `its head file at row ${noted.seq} (hash ${short(noted.hash)})`
  );
}

function whatToDo(without: string): string {
  return (
    `Restore a backup (tess admin restore), or decide to go on ${without}: tess admin accept-loss. ` +
    "If another store was meant, name its data folder with --data."
  );
}

function short(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex").slice(0, 16);
}
