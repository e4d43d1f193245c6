import type { HeadLine } from "@tessera/wire/history";
import type { Api } from "../http.ts";
import type { Terminal } from "../terminal.ts";
import { type Remembered, recall, remember } from "./memory.ts";

/** A proof is asked for at most this often; in between only what the answers carry anyway is compared. */
const proveEveryMs = 60_000;
const answerMsMax = 5_000;

/** Where the server was found. A data folder is of this machine: one that was made again is no other server's. */
export interface Place {
  readonly name: string;
  readonly local: boolean;
}

/**
 * Compares the head that a server showed with the newest one that is remembered of it. Answers a warning where the
 * history of the server no longer contains it, it went back, or another key signs.
 */
export async function compareHeads(
  { env }: Pick<Terminal, "env">,
  api: Api,
  place: Place,
  now: number,
): Promise<string | undefined> {
  const known = recall(env, place.name);
  const line = api.serverHead;
  if (line === undefined) {
    if (known === undefined) return undefined;
    return `${place.name} showed signed heads of its history before, and shows none now. Remembered: ${known.checked}`;
  }
  if (line === known?.checked || line === known?.seen) return undefined;
  const { parseHead } = await import("@tessera/wire/history");
  const head = parseHead(line);
  if (head === undefined) return `${place.name} shows a head that cannot be read: ${line.slice(0, 400)}`;
  const before = known === undefined ? undefined : parseHead(known.checked);
  if (known === undefined || before === undefined || (place.local && before.server !== head.server)) {
    await meet(env, api, place, now);
    return undefined;
  }
  const fault = await faultOf(api, known, before, head, now);
  if (typeof fault === "string") return warning(place, fault, known.checked, line);
  remember(env, { ...known, ...fault });
  return undefined;
}

/** The first time: the key and the head are believed, and remembered from then on. */
async function meet(env: Terminal["env"], api: Api, { name }: Place, now: number): Promise<void> {
  const { line, publicKey } = await api.call("getHead", { timeoutMs: answerMsMax });
  remember(env, { place: name, key: publicKey, checked: line, seen: line, checkedAt: now });
}

/** What is wrong with the head, or what to remember of it. */
async function faultOf(
  api: Api,
  known: Remembered,
  before: HeadLine,
  head: HeadLine,
  now: number,
): Promise<string | Partial<Remembered>> {
  const { isContinued, isSigned, keyIdOf, parseHead } = await import("@tessera/wire/history");
  if (head.server !== before.server) return `another server (${head.server}, not ${before.server}) answers there`;
  const key = head.key === (await keyIdOf(known.key)) ? known.key : await nextKey(api, known.key, head);
  if (key === undefined) return `its head is signed by a key (${head.key}) that the remembered key does not lead to`;
  if (!(await isSigned(head.text, head.signature, key))) return "the signature of its head is wrong";
  const seen = parseHead(known.seen) ?? before;
  for (const old of [before, seen]) {
    if (head.row < old.row && old === before) return `it ends at row ${head.row}, and row ${old.row} was there before`;
    if (head.row === old.row && head.tree !== old.tree) return `row ${head.row} is not what it was`;
  }
  const lagging = head.row < seen.row; // an answer that was on its way longer than another
  if (lagging || now - known.checkedAt < proveEveryMs) return { key, seen: lagging ? known.seen : head.line };
  for (const old of [before, seen]) {
    if (old.row === head.row) continue;
    const query = { from: old.row, to: head.row };
    const { path } = await api.call("proveConsistency", { query, timeoutMs: answerMsMax });
    const claim = { from: old.row, fromRoot: old.tree, size: head.row, root: head.tree, path };
    if (!(await isContinued(claim))) return `its rows up to ${old.row} are not what they were`;
  }
  return { key, checked: head.line, seen: head.line, checkedAt: now };
}

/** The key of the head, where the keys that the server names lead from the known one to it. */
async function nextKey(api: Api, known: string, head: HeadLine): Promise<string | undefined> {
  const { keysFrom, keyWithId } = await import("@tessera/wire/history");
  const { keys } = await api.call("getHead", { timeoutMs: answerMsMax });
  return keyWithId(head.key, await keysFrom(known, keys));
}

function warning({ name }: Place, fault: string, before: string, now: string): string {
  return (
    `WARNING: the history of ${name} was changed: ${fault}.\n` +
    `  remembered: ${before}\n  shown now:  ${now}\n` +
    "  Ask its owner why (a restored backup?) and keep both lines. tess head forget believes it from now on."
  );
}
