import { isSigned, keyIdOf } from "./hashes.ts";
import { type HeadLine, parseHead } from "./head-line.ts";
import { keysFrom, keyWithId, type NamedKey } from "./keys.ts";
import { isContinued } from "./proofs.ts";

/** A proof is asked for at most this often; in between only what the answers carry anyway is compared. */
const proveEveryMs = 60_000;

/** What a client remembers of a server's journal. */
export interface Remembered {
  /** The signing key that is believed (SPKI, base64). */
  readonly key: string;
  /** The newest head that is known to continue all before; a line. */
  readonly checked: string;
  /** The newest head that was shown since; a line. */
  readonly seen: string;
  readonly checkedAt: number;
}

/** What is asked of the server. */
export interface HeadServer {
  head(): Promise<{ readonly line: string; readonly publicKey: string; readonly keys: readonly NamedKey[] }>;
  consistency(from: number, to: number): Promise<{ readonly path: readonly string[] }>;
}

export type Compared =
  | { readonly remember: Remembered }
  | { readonly fault: string; readonly before: string; readonly now: string };

/**
 * Compares the head that a server shows with what is remembered of it. The first one is believed. A fault says that the
 * history no longer contains the remembered head, went back, or that another key signs. Undefined: nothing is new.
 */
export async function compareHead(
  known: Remembered | undefined,
  line: string,
  server: HeadServer,
  now: number,
): Promise<Compared | undefined> {
  if (line === known?.checked || line === known?.seen) return undefined;
  const before = known === undefined ? undefined : parseHead(known.checked);
  if (known === undefined || before === undefined) return { remember: await meet(server, now) };
  const shown = await newestOf(server, before, line);
  const head = parseHead(shown);
  const found = head === undefined ? "its head cannot be read" : await look(server, known, before, head, now);
  if (typeof found === "string") return { fault: found, before: known.checked, now: shown };
  return { remember: { ...known, ...found } };
}

/** An answer that was on its way longer than others shows an earlier row than they did: then the server is asked for its newest. */
async function newestOf(server: HeadServer, before: HeadLine, line: string): Promise<string> {
  const head = parseHead(line);
  const isEarlier = head !== undefined && head.server === before.server && head.row < before.row;
  return isEarlier ? (await server.head()).line : line;
}

/** The first time: key and head are believed. */
async function meet(server: HeadServer, now: number): Promise<Remembered> {
  const { line, publicKey } = await server.head();
  return { key: publicKey, checked: line, seen: line, checkedAt: now };
}

/** What is wrong with the head, or what to remember of it. */
async function look(
  server: HeadServer,
  known: Remembered,
  before: HeadLine,
  head: HeadLine,
  now: number,
): Promise<string | Partial<Remembered>> {
  if (head.server !== before.server) return `another server (${head.server}, not ${before.server}) answers there`;
  const key = head.key === (await keyIdOf(known.key)) ? known.key : await nextKey(server, known.key, head);
  if (key === undefined) return `its head is signed by a key (${head.key}) that the remembered key does not lead to`;
  if (!(await isSigned(head.text, head.signature, key))) return "the signature of its head is wrong";
  const seen = parseHead(known.seen) ?? before;
  if (head.row < before.row) return `it ends at row ${head.row}, and row ${before.row} was there before`;
  for (const old of [before, seen])
    if (head.row === old.row && head.tree !== old.tree) return `row ${head.row} is not what it was`;
  const lagging = head.row < seen.row; // an answer that was on its way longer than another
  if (lagging || now - known.checkedAt < proveEveryMs) return { key, seen: lagging ? known.seen : head.line };
  for (const old of [before, seen]) {
    if (old.row === head.row) continue;
    const { path } = await server.consistency(old.row, head.row);
    const claim = { from: old.row, fromRoot: old.tree, size: head.row, root: head.tree, path };
    if (!(await isContinued(claim))) return `its rows up to ${old.row} are not what they were`;
  }
  return { key, checked: head.line, seen: head.line, checkedAt: now };
}

/** The key of the head, where the keys that the server names lead from the known one to it. */
async function nextKey(server: HeadServer, known: string, head: HeadLine): Promise<string | undefined> {
  const { keys } = await server.head();
  return keyWithId(head.key, await keysFrom(known, keys));
}
