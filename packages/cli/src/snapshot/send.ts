import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { join } from "node:path";
import { byPath, type TreeEntry, treeText } from "@tessera/wire/tree";
import { exit } from "../exit.ts";
import { Failure, specFailure } from "../failure.ts";
import type { Api } from "../http.ts";
import { type Digests, openToRead } from "./digests.ts";
import { type Found, leaveOutHint } from "./scan.ts";

/** How far sending has come. */
export interface Sent {
  readonly files: number;
  readonly bytes: number;
}

interface Entry {
  readonly path: string;
  readonly mode: number;
  bytes: number;
  sha256: string;
}

const askMax = 10_000;
/** A file up to this size goes in one piece, read once: what is sent is what was hashed. */
const pieceBytes = 4 << 20;
/** One request: grows on a fast line, shrinks on a slow one. */
const requestBytes = { first: 2 << 20, least: 256 << 10, most: 16 << 20 };
const slowMs = 8_000;
const quickMs = 1_000;
/** How often a folder is looked at again because files change while they are sent. */
const roundsMax = 5;

/** Sends what the server does not have yet of a folder, and returns the id of its tree. */
export async function sendTree(
  api: Api,
  project: string | undefined,
  found: Found,
  digests: Digests,
  onSent: (sent: Sent) => void,
): Promise<{ readonly tree: string; readonly sent: Sent }> {
  const sender = new Sender(api, project, found.folder, onSent);
  const entries: Entry[] = [];
  for (const file of found.files) {
    const { path, stats } = file;
    const mode = Number(stats.mode & 0o777n) | 0o400;
    entries.push({ path, mode, bytes: Number(stats.size), sha256: await digests.of(found.folder, file, () => {}) });
  }
  digests.save();
  for (let round = 1; ; round++) {
    const missing = await sender.missing(entries.map(({ sha256 }) => sha256));
    const lacking = entries.filter(({ sha256 }) => missing.has(sha256));
    if (lacking.length === 0) break;
    if (round > roundsMax) {
      const { path } = lacking[0]!;
      throw specFailure(`${path} changes while it is sent`, leaveOutHint(path));
    }
    await sender.sendFiles(lacking, missing);
  }
  const folders = found.emptyFolders.map((path) => ({ path, folder: true }) as const);
  const files: TreeEntry[] = [...entries, ...found.links, ...folders].sort(byPath);
  const tree = await sender.sendText(treeText({ files }));
  return { tree, sent: sender.sent };
}

class Sender {
  readonly #api: Api;
  readonly #where: { readonly project?: string };
  readonly #folder: string;
  readonly #onSent: (sent: Sent) => void;
  #batch: { parts: Buffer[]; bytes: number } = { parts: [], bytes: 0 };
  #batchBytesMax = requestBytes.first;
  sent: Sent = { files: 0, bytes: 0 };

  constructor(api: Api, project: string | undefined, folder: string, onSent: (sent: Sent) => void) {
    this.#api = api;
    this.#where = project === undefined ? {} : { project };
    this.#folder = folder;
    this.#onSent = onSent;
  }

  /** Those of the digests that the server does not have, with how much of each it has. */
  async missing(digests: readonly string[]): Promise<Map<string, number>> {
    const missing = new Map<string, number>();
    const distinct = [...new Set(digests)];
    for (let at = 0; at < distinct.length; at += askMax) {
      const body = { ...this.#where, digests: distinct.slice(at, at + askMax) };
      for (const { sha256, have } of (await this.#api.call("findMissing", { body })).missing) missing.set(sha256, have);
    }
    return missing;
  }

  async sendFiles(entries: readonly Entry[], missing: ReadonlyMap<string, number>): Promise<void> {
    const done = new Set<string>();
    for (const entry of entries) {
      if (done.has(entry.sha256)) continue;
      if (entry.bytes <= pieceBytes) await this.#sendSmall(entry);
      else await this.#sendLarge(entry, missing.get(entry.sha256) ?? 0);
      done.add(entry.sha256);
    }
    await this.#flush();
  }

  async sendText(text: string): Promise<string> {
    const bytes = Buffer.from(text);
    const sha256 = digestOf(bytes);
    const missing = await this.missing([sha256]);
    if (!missing.has(sha256)) return sha256;
    for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
      await this.#add({ sha256, bytes: bytes.length, offset }, bytes.subarray(offset, offset + pieceBytes));
    }
    await this.#flush();
    return sha256;
  }

  /** What was read is what is sent: a file that changed since it was hashed is sent as it is now. */
  async #sendSmall(entry: Entry): Promise<void> {
    const content = readPiece(join(this.#folder, entry.path), entry.path, 0, pieceBytes + 1);
    if (content.length > pieceBytes) {
      entry.bytes = content.length; // it grew beyond one piece: hashed again in the next round
      entry.sha256 = await this.#hashAgain(entry);
      return;
    }
    entry.bytes = content.length;
    entry.sha256 = digestOf(content);
    await this.#add({ path: entry.path, sha256: entry.sha256, bytes: content.length, offset: 0 }, content);
    this.#count(1, content.length);
  }

  async #sendLarge(entry: Entry, have: number): Promise<void> {
    await this.#flush();
    const full = join(this.#folder, entry.path);
    try {
      for (let offset = have; offset < entry.bytes; ) {
        const length = Math.min(this.#batchBytesMax, pieceBytes, entry.bytes - offset);
        const piece = readPiece(full, entry.path, offset, length);
        if (piece.length < length) throw changed(entry.path);
        await this.#add({ path: entry.path, sha256: entry.sha256, bytes: entry.bytes, offset }, piece);
        await this.#flush();
        this.#count(0, length);
        offset += length;
      }
      this.#count(1, 0);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "conflict") throw error;
      entry.sha256 = await this.#hashAgain(entry); // it changed, or somebody else sent a part: look again
    }
  }

  async #hashAgain(entry: Entry): Promise<string> {
    const hash = createHash("sha256");
    const full = join(this.#folder, entry.path);
    let bytes = 0;
    for (;;) {
      const piece = readPiece(full, entry.path, bytes, pieceBytes);
      hash.update(piece);
      bytes += piece.length;
      if (piece.length < pieceBytes) break;
    }
    entry.bytes = bytes;
    return hash.digest("hex");
  }

  async #add(head: { sha256: string; bytes: number; offset: number; path?: string }, piece: Buffer): Promise<void> {
    const line = Buffer.from(`${JSON.stringify({ ...head, length: piece.length })}\n`);
    if (this.#batch.bytes + line.length + piece.length > this.#batchBytesMax) await this.#flush();
    this.#batch.parts.push(line, piece);
    this.#batch.bytes += line.length + piece.length;
  }

  async #flush(): Promise<void> {
    const { parts } = this.#batch;
    if (parts.length === 0) return;
    this.#batch = { parts: [], bytes: 0 };
    const startedAt = performance.now();
    await this.#api.call("putContent", { query: this.#where, bytes: parts, timeoutMs: 60_000 });
    const tookMs = performance.now() - startedAt;
    const { least, most } = requestBytes;
    if (tookMs > slowMs) this.#batchBytesMax = Math.max(least, this.#batchBytesMax / 2);
    else if (tookMs < quickMs) this.#batchBytesMax = Math.min(most, this.#batchBytesMax * 2);
    this.#onSent(this.sent);
  }

  #count(files: number, bytes: number): void {
    this.sent = { files: this.sent.files + files, bytes: this.sent.bytes + bytes };
  }
}

function changed(path: string): Failure {
  return new Failure(exit.conflict, { code: "conflict", message: `${path} changed while it was sent` });
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** At most `length` bytes of a file from `offset`; fewer only at its end. */
function readPiece(full: string, path: string, offset: number, length: number): Buffer {
  const file = openToRead(full, path);
  try {
    const room = Buffer.allocUnsafe(length);
    let got = 0;
    while (got < length) {
      const read = readSync(file, room, got, length - got, offset + got);
      if (read === 0) break;
      got += read;
    }
    return room.subarray(0, got);
  } finally {
    closeSync(file);
  }
}
