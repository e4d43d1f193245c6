import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, openSync, statfsSync, statSync, utimesSync } from "node:fs";
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { promisify } from "node:util";
import {
  faultOfTree,
  isDigest,
  isTreeFile,
  parseTree,
  type Tree,
  type TreeLimits,
  treeLimitsMax,
  treeText,
} from "@tessera/core";
import { Draft, plainPieces } from "./draft.ts";
import { ContentDamaged, ContentMissing, ContentRefused } from "./failure.ts";
import { bytesIn, openedPieces } from "./sealed/file.ts";
import { SealBroken } from "./sealed/form.ts";
import {
  type ContentKey,
  type ContentKeys,
  nameOf,
  openMark,
  plainPath,
  sealedFolder,
  sealedMark,
  sealedPath,
} from "./sealed/keys.ts";
import { resealContent } from "./sealed/reseal.ts";
import { sweepContent, treesFolder } from "./sweep.ts";
import { type UnpackOptions, unpackTree } from "./unpack.ts";

/** The content of all tenants below one folder. What one tenant keeps cannot be asked about through another. */
export class ContentStore {
  readonly #root: string;
  readonly #freeBytesMin: number;
  readonly #keys: ContentKeys | undefined;
  readonly #tenants = new Map<string, TenantContent>();

  /** `freeBytesMin` of the disk is left to others, such as the journal beside it. Without `keys` files are plain. */
  constructor(root: string, freeBytesMin = 0, keys?: ContentKeys) {
    this.#root = root;
    this.#freeBytesMin = freeBytesMin;
    this.#keys = keys;
  }

  /** Whether so many bytes more may be kept. */
  hasRoom(bytes: number): boolean {
    mkdirSync(this.#root, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = statfsSync(this.#root);
    return bavail * bsize - bytes >= this.#freeBytesMin;
  }

  /** The content of one tenant, named by its outside id. */
  of(tenant: string): TenantContent {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(tenant)) throw new Error(`"${tenant}" cannot be the id of a tenant`);
    const keys = this.#keys;
    const known =
      this.#tenants.get(tenant) ?? new TenantContent(join(this.#root, tenant), keys && (() => keys(tenant)));
    this.#tenants.set(tenant, known);
    return known;
  }

  /** Everyone who keeps or has kept something here. */
  async tenants(): Promise<string[]> {
    return readdir(this.#root).catch(unless("ENOENT", []));
  }
}

/** Bytes in parts, as they come or already here. */
export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** One content that is said to come, whole or from `offset` on. */
export interface Incoming {
  readonly sha256: string;
  readonly bytes: number;
  readonly offset?: number;
  /** Who sends it: parts of two senders are never mixed. */
  readonly sender?: string;
}

export interface Missing {
  readonly sha256: string;
  /** How many of its bytes are here already; sending may go on from there. */
  readonly have: number;
}

/** How far apart the times are that are noted for content which is still asked for. */
const touchMs = 60 * 60 * 1000;
/** For how long a tree that was found whole is not looked at again; far below what a sweep leaves alone. */
const usedMs = 5 * 60 * 1000;
const usedMax = 1_000;
/** So few files are made durable one by one. */
const syncedOneByOne = 100;
/** How many files are looked at before others get a turn. */
const slice = 200;

/** Files of one tenant, found by the sha256 of their bytes. */
export class TenantContent {
  readonly #root: string;
  readonly #source: (() => Promise<readonly ContentKey[]>) | undefined;
  /** The newest first, as they were when they were last asked for. */
  #keys: readonly ContentKey[] = [];
  /** Something was written that a power cut could still take; unknown after a start. */
  #unsynced = true;
  #bytes: Promise<number> | undefined;
  readonly #turns = new Map<string, Promise<unknown>>();
  /** When trees were last found to be whole. */
  readonly #used = new Map<string, number>();

  constructor(root: string, source?: () => Promise<readonly ContentKey[]>) {
    this.#root = root;
    this.#source = source;
  }

  /** Those of the digests that are not here. What is here stays for at least the time that a sweep leaves it. */
  async missing(digests: readonly string[], sender = ""): Promise<Missing[]> {
    await this.#ready();
    const missing: Missing[] = [];
    const now = Date.now();
    for (const [i, sha256] of digests.entries()) {
      if (i % slice === slice - 1) await breathe();
      if (!this.#touch(sha256, now))
        missing.push({ sha256, have: this.#draft(this.#partial(sha256, sender), sha256).have() });
    }
    return missing;
  }

  /**
   * Keeps one content, hashed while it is written and visible only when it is whole. A part that does not end it is kept
   * for the sender to go on. Returns how many bytes are here now. Sending what is here again changes nothing.
   */
  async putFile(source: Bytes, incoming: Incoming): Promise<{ readonly have: number }> {
    await this.#ready();
    const { sha256, bytes, offset = 0, sender = "" } = incoming;
    if (!isDigest(sha256)) throw new ContentRefused("it has no sha256 of 64 hexadecimal digits", "Give its digest.");
    if (this.#touch(sha256, Date.now())) {
      await drain(source);
      return { have: bytes };
    }
    const partial = this.#partial(sha256, sender);
    return this.#inTurn(partial, () => this.#receive(source, { sha256, bytes, offset }, partial));
  }

  /** Keeps what a source gives, whatever its digest turns out to be. */
  async takeFile(source: Bytes): Promise<{ readonly sha256: string; readonly bytes: number }> {
    await this.#ready();
    await mkdir(join(this.#root, "partial"), { recursive: true, mode: 0o700 });
    const partial = join(this.#root, "partial", `taken-${randomBytes(12).toString("hex")}`);
    const hash = createHash("sha256");
    let bytes = 0;
    try {
      const draft = this.#draft(partial);
      const writer = await draft.open();
      try {
        for await (const part of source) {
          hash.update(part);
          await writer.write(part);
          bytes += part.length;
        }
      } finally {
        await writer.close();
      }
      const sha256 = hash.digest("hex");
      if (this.#touch(sha256, Date.now())) return { sha256, bytes };
      draft.label(sha256);
      await this.#keep(partial, sha256, bytes);
      return { sha256, bytes };
    } finally {
      await rm(partial, { force: true });
    }
  }

  async #receive(
    source: Bytes,
    { sha256, bytes, offset }: { readonly sha256: string; readonly bytes: number; readonly offset: number },
    partial: string,
  ): Promise<{ readonly have: number }> {
    if (this.#has(sha256)) {
      await drain(source); // another sender was faster
      return { have: bytes };
    }
    const draft = this.#draft(partial, sha256);
    const have = draft.have();
    if (offset > have) {
      await drain(source);
      throw new ContentRefused(
        `${have} of its bytes are here, and the part begins at ${offset}`,
        "Ask what is missing, and go on there.",
      );
    }
    await mkdir(join(this.#root, "partial"), { recursive: true, mode: 0o700 });
    const writer = await draft.open();
    const hash = createHash("sha256");
    let at = offset;
    try {
      for await (const part of source) {
        if (at + part.length > bytes)
          throw new ContentRefused(`it has more than the ${bytes} bytes that were said`, "Send it again.");
        // The same sender may send it twice at once: what is here already is not written again.
        const fresh = part.subarray(Math.min(part.length, Math.max(0, have - at)));
        if (have === 0) hash.update(fresh);
        await writer.write(fresh);
        at += part.length;
      }
    } catch (error) {
      if (error instanceof ContentRefused) await rm(partial, { force: true });
      throw error;
    } finally {
      await writer.close();
    }
    if (at < bytes) return { have: Math.max(at, have) };
    const digest = have === 0 ? hash.digest("hex") : await draft.settle();
    if (digest !== sha256) {
      await rm(partial, { force: true });
      throw new ContentRefused(
        `its sha256 is ${digest} and not ${sha256}: it changed while it was sent`,
        "Send it again.",
      );
    }
    await this.#keep(partial, sha256, bytes);
    return { have: bytes };
  }

  async #keep(from: string, sha256: string, bytes: number): Promise<void> {
    const [newest] = this.#keys;
    const path = newest === undefined ? plainPath(this.#root, sha256) : sealedPath(this.#root, newest, sha256);
    await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
    await chmod(from, 0o400);
    await rename(from, path);
    this.#unsynced = true;
    if (this.#bytes !== undefined) this.#bytes = this.#bytes.then((before) => before + bytes);
  }

  /** Keeps a tree whose contents are all here, and returns its id. When this returns, a power cut takes none of it. */
  async putTree(tree: Tree, limits: TreeLimits = treeLimitsMax): Promise<string> {
    await this.#ready();
    const text = Buffer.from(treeText(tree));
    const id = createHash("sha256").update(text).digest("hex");
    await this.#settle(tree, limits);
    const sender = randomBytes(6).toString("hex");
    await this.putFile([text], { sha256: id, bytes: text.length, sender });
    const digests = new Set([id, ...tree.files.filter(isTreeFile).map(({ sha256 }) => sha256)]);
    // A sync of everything also waits for what jobs write into their own folders, which can be a hundred times as much.
    if (digests.size <= syncedOneByOne) await syncEach([...digests].map((digest) => this.path(digest)));
    else await this.#sync();
    return id;
  }

  /**
   * Makes sure that a tree which was sent as content can be unpacked, and keeps it from now on for as long as a sweep
   * keeps trees that were used. When this returns, a power cut takes none of it.
   */
  async useTree(id: string, limits: TreeLimits = treeLimitsMax): Promise<void> {
    const before = this.#used.get(id);
    if (before !== undefined && Date.now() - before < usedMs) return;
    await this.#settle(await this.readTree(id), limits);
    await this.noteUse(id);
    await this.#sync();
    if (this.#used.size >= usedMax) this.#used.clear();
    this.#used.set(id, Date.now());
  }

  /** A tree is in use: a sweep keeps it for a while from now on. */
  async noteUse(id: string): Promise<void> {
    await this.#ready();
    const [newest] = this.#keys;
    const [name, mark] = newest === undefined ? [id, ""] : [nameOf(newest, id), sealedMark(newest, id)];
    await mkdir(join(this.#root, treesFolder), { recursive: true, mode: 0o700 });
    await writeFile(join(this.#root, treesFolder, name), mark, { mode: 0o600 });
  }

  /** Everything that a tree refers to is here, as it says. */
  async #settle(tree: Tree, limits: TreeLimits): Promise<void> {
    const fault = faultOfTree(tree, limits);
    if (fault !== undefined) {
      throw new ContentRefused(`${fault.path === "" ? "the folder:" : fault.path} ${fault.detail}`, fault.hint);
    }
    const now = Date.now();
    for (const [i, entry] of tree.files.entries()) {
      if (i % slice === slice - 1) await breathe();
      if (!isTreeFile(entry)) continue;
      if (!this.#touch(entry.sha256, now)) throw new ContentMissing(entry.sha256, entry.path);
      const size = this.size(entry.sha256);
      if (size !== entry.bytes) {
        throw new ContentRefused(`${entry.path} has ${size} bytes, not ${entry.bytes}`, "Send the folder again.");
      }
    }
  }

  /** The tree with this id, checked again: any content can be named as if it were a tree. */
  async readTree(id: string): Promise<Tree> {
    if (!isDigest(id)) throw new ContentRefused(`${id} is not the id of a tree`, "Give the sha256 of its text.");
    await this.#ready();
    const text = this.#whole(id);
    if (text === undefined || createHash("sha256").update(text).digest("hex") !== id) {
      await this.remove(id);
      throw new ContentDamaged(id, "the list of the folder");
    }
    const tree = parseTree(text.toString("utf8"));
    const fault =
      tree === undefined ? { path: "", detail: "it is not the text of a tree" } : faultOfTree(tree, treeLimitsMax);
    if (tree === undefined || fault !== undefined)
      throw new ContentRefused(`${id} is no tree: ${fault?.path} ${fault?.detail}`, "Commit a tree first.");
    return tree;
  }

  /** Makes the folder that a tree describes. `folder` must be there, and nobody else may be able to write in it yet. */
  async unpack(id: string, folder: string, options: UnpackOptions = {}): Promise<Tree> {
    const tree = await this.readTree(id);
    try {
      await unpackTree(this, tree, folder, options);
    } catch (error) {
      if (error instanceof ContentDamaged) await this.remove(error.sha256);
      throw error;
    }
    return tree;
  }

  /** Where a content lies; where it would lie if it is not here. */
  path(sha256: string): string {
    const plain = plainPath(this.#root, sha256);
    const places = [...this.#keys.map((key) => sealedPath(this.#root, key, sha256)), plain];
    return places.find((path) => sizeOf(path) !== undefined) ?? places[0] ?? plain;
  }

  async has(sha256: string): Promise<boolean> {
    await this.#ready();
    return this.#has(sha256);
  }

  #has(sha256: string): boolean {
    return isDigest(sha256) && sizeOf(this.path(sha256)) !== undefined;
  }

  /** How many bytes a content has; undefined where it is not here. */
  size(sha256: string): number | undefined {
    const path = this.path(sha256);
    const size = sizeOf(path);
    return size === undefined || path === plainPath(this.#root, sha256) ? size : bytesIn(size);
  }

  /** What a content holds from `start` on. Throws ContentMissing where it is not here. */
  async *read(sha256: string, start = 0): AsyncGenerator<Buffer> {
    await this.#ready();
    for (const piece of this.pieces(sha256, "the file", start)) {
      yield piece;
      await breathe();
    }
  }

  /** The same at once, with the keys that are known; `what` names it where it is missing. */
  *pieces(sha256: string, what: string, start = 0): Generator<Buffer> {
    const path = this.path(sha256);
    const file = openIfThere(path);
    if (file === undefined) throw new ContentMissing(sha256, what);
    if (path === plainPath(this.#root, sha256)) yield* plainPieces(file, start);
    else yield* openedPieces(file, this.#keys, start);
  }

  /** All of a content; undefined where it is damaged. */
  #whole(sha256: string): Buffer | undefined {
    try {
      return Buffer.concat([...this.pieces(sha256, "the folder")]);
    } catch (error) {
      if (error instanceof SealBroken) return undefined;
      throw error;
    }
  }

  /** The tree that a marker stands for; undefined where its key is gone. */
  async treeOf(marker: string): Promise<string | undefined> {
    const text = await readFile(join(this.#root, treesFolder, marker), "utf8");
    return text === "" ? marker : openMark(this.#keys, text);
  }

  /** The names under which a content may lie, as folder and file joined. */
  namesOf(sha256: string): string[] {
    return [sha256, ...this.#keys.map((key) => `x${nameOf(key, sha256)}`)];
  }

  /** Has the newest key seal everything here; returns how many files had another, or none. Goes on where it was cut off. */
  async reseal(): Promise<number> {
    await this.#ready();
    const [newest] = this.#keys;
    return newest === undefined ? 0 : resealContent(this.#root, this.#keys, newest);
  }

  async remove(sha256: string): Promise<void> {
    const bytes = this.size(sha256);
    await rm(this.path(sha256), { force: true });
    if (bytes !== undefined && this.#bytes !== undefined) this.#bytes = this.#bytes.then((before) => before - bytes);
  }

  /** How many bytes this tenant keeps, counted once from the disk and then kept up to date. */
  bytes(): Promise<number> {
    this.#bytes ??= this.#measure();
    return this.#bytes;
  }

  /**
   * Removes what nothing refers to: neither a tree in `roots`, nor a tree that was used within `keepTreesMs`, nor
   * anybody who asked for it within `keepMs`. Returns what was removed.
   */
  async sweep(
    roots: Iterable<string>,
    keep: { readonly treesMs: number; readonly looseMs: number },
    now: number,
  ): Promise<{ files: number; bytes: number }> {
    await this.#ready();
    this.#used.clear();
    const removed = await sweepContent(this, this.#root, roots, keep, now);
    this.#bytes = undefined; // other processes write here too: count again
    return removed;
  }

  async #measure(): Promise<number> {
    let sum = 0;
    for (const name of await readdir(this.#root).catch(unless("ENOENT", []))) {
      if (name === treesFolder) continue;
      for (const file of await readdir(join(this.#root, name)).catch(unless("ENOENT", []))) {
        const { size } = await stat(join(this.#root, name, file)).catch(unless("ENOENT", { size: 0 }));
        sum += sealedFolder.test(name) ? bytesIn(size) : size;
      }
    }
    return sum;
  }

  /** False when it is not here. Its time says when it was last asked for, so that a sweep leaves it. */
  #touch(sha256: string, now: number): boolean {
    if (!isDigest(sha256)) return false;
    const path = this.path(sha256);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (found.mtimeMs < now - touchMs) utimesSync(path, now / 1000, now / 1000);
    return true;
  }

  #partial(sha256: string, sender: string): string {
    const [newest] = this.#keys;
    const base = newest === undefined ? sha256 : nameOf(newest, sha256);
    const name = sender === "" ? base : `${base}.${createHash("sha256").update(sender).digest("hex").slice(0, 16)}`;
    return join(this.#root, "partial", name);
  }

  #draft(path: string, sha256?: string): Draft {
    return new Draft(path, this.#keys, sha256);
  }

  async #ready(): Promise<void> {
    if (this.#source !== undefined) this.#keys = await this.#source();
  }

  async #inTurn<Result>(name: string, act: () => Promise<Result>): Promise<Result> {
    const turn = (this.#turns.get(name) ?? Promise.resolve()).catch(() => {}).then(act);
    this.#turns.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
    }
  }

  /** One call for thousands of files: a sync of each would take seconds. */
  async #sync(): Promise<void> {
    if (!this.#unsynced) return;
    this.#unsynced = false;
    const run = promisify(execFile);
    try {
      await run("sync", ["-f", this.#root]).catch(() => run("sync"));
    } catch (error) {
      this.#unsynced = true;
      throw new Error("what was sent cannot be made durable: sync does not work here", { cause: error });
    }
  }
}

/** Makes these files and their names survive a power cut. */
async function syncEach(paths: readonly string[]): Promise<void> {
  for (const path of [...paths, ...new Set(paths.map((each) => dirname(each)))]) {
    const file = await open(path, "r");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** A body that is not wanted must still be read, or the next thing on the connection would be taken for it. */
async function drain(source: Bytes): Promise<void> {
  for await (const _ of source);
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    return unless<undefined>("ENOENT", undefined)(error as NodeJS.ErrnoException);
  }
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function unless<Value>(code: string, value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === code) return value;
    throw error;
  };
}
