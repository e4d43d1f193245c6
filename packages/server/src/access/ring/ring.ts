import { hkdfSync, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Master, OtherMaster, type Wrapped } from "./master.ts";

/** The owner of the data key for what belongs to no tenant: credentials of engines, anchors, providers, factors. */
export const platform = "platform";

/** For what a key is derived from a data key. What opens one purpose opens no other. */
export type Purpose = "secret" | "content" | "content-name" | "log" | "journal";

/** A data key as it lies in its file. */
export interface KeptKey {
  readonly id: string;
  /** The outside id of a tenant, or `platform`. */
  readonly of: string;
  /** The highest one seals, all open. */
  readonly version: number;
  readonly madeAt: number;
  /** Who rotated on this machine; absent where the server made it. */
  readonly by?: string;
  readonly wrapped: Wrapped;
  /** By this the key is recognised; absent in files of earlier versions. */
  readonly check?: string;
}

/** A data key that can be used. */
export class DataKey {
  readonly id: string;
  readonly of: string;
  readonly #key: Buffer;
  readonly #derived = new Map<Purpose, Buffer>();

  constructor({ id, of }: Pick<KeptKey, "id" | "of">, key: Buffer) {
    this.id = id;
    this.of = of;
    this.#key = key;
  }

  /** The key for one purpose. */
  for(purpose: Purpose): Buffer {
    const known =
      this.#derived.get(purpose) ?? Buffer.from(hkdfSync("sha256", this.#key, "", `tessera ${purpose}`, 32));
    this.#derived.set(purpose, known);
    return known;
  }
}

/** A key that sealed something is not there any more: it was shredded, or its file was lost. */
export class KeyGone extends Error {}

const keyBytes = 32;
/** A folder whose time is younger may change again within the same tick of its clock. */
const settledMs = 100;

/**
 * Data keys of one installation, a file each, wrapped by the master key. Threads and processes share them through the
 * folder: a key that is added or destroyed is added or destroyed for all of them at their next look. Two that make the
 * first key of a tenant at once make two keys, of which one seals from then on and both open.
 */
export class Ring {
  readonly #folder: string;
  readonly master: Master;
  readonly #open = new Map<string, Promise<DataKey>>();
  #kept: readonly KeptKey[] = [];
  #seenAt = -1;

  constructor(folder: string, master: Master) {
    this.#folder = folder;
    this.master = master;
  }

  /** All keys, of each owner the newest first. */
  list(): readonly KeptKey[] {
    const at = statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (at !== this.#seenAt) {
      this.#kept = this.#read();
      const ids = new Set(this.#kept.map(({ id }) => id));
      for (const id of this.#open.keys()) if (!ids.has(id)) this.#open.delete(id);
      this.#seenAt = Date.now() - at > settledMs ? at : -1;
    }
    return this.#kept;
  }

  /** The keys of one owner, the newest first. */
  of(owner: string): readonly KeptKey[] {
    return this.list().filter((key) => key.of === owner);
  }

  /** The key that seals for an owner now; made where there is none. */
  async current(owner: string): Promise<DataKey> {
    const [newest] = this.of(owner);
    return newest === undefined ? this.rotate(owner) : this.#unwrap(newest);
  }

  /** The key of this id. Throws KeyGone where there is none. */
  async find(id: string): Promise<DataKey> {
    const kept = this.list().find((key) => key.id === id);
    if (kept === undefined) throw new KeyGone(`the data key ${id} was destroyed, or its file is lost`);
    return this.#unwrap(kept);
  }

  /** Every key of an owner that opens something, the newest first; makes the first one. */
  async allOf(owner: string): Promise<readonly DataKey[]> {
    const newest = await this.current(owner);
    const older = this.of(owner).filter(({ id }) => id !== newest.id);
    return [newest, ...(await Promise.all(older.map((key) => this.#unwrap(key))))];
  }

  /** Makes a new key for an owner, which seals from now on; those before still open. */
  async rotate(owner: string, by?: string): Promise<DataKey> {
    const id = randomBytes(8).toString("hex");
    const key = randomBytes(keyBytes);
    const version = (this.of(owner)[0]?.version ?? 0) + 1;
    const wrapped = await this.#wrapSurely(key, contextOf(id, owner));
    this.#write({
      id,
      of: owner,
      version,
      madeAt: Date.now(),
      ...(by !== undefined && { by }),
      wrapped,
      check: checkOf(key),
    });
    const made = new DataKey({ id, of: owner }, key);
    this.#open.set(id, Promise.resolve(made));
    return made;
  }

  /** Wraps every data key by a new master key, then has the old one destroyed. After a crash it is called again. */
  async rotateMaster(): Promise<void> {
    await this.master.rotate();
    await this.settleMaster();
  }

  /** Ends a rotation of the master key that was cut off, if there was one. */
  async settleMaster(): Promise<void> {
    const current = await this.master.current();
    for (const kept of this.list()) {
      if (kept.wrapped.master === current) continue;
      const context = contextOf(kept.id, kept.of);
      const key = await this.#unwrapSurely(kept);
      this.#write({ ...kept, wrapped: await this.#wrapSurely(key, context), check: checkOf(key) });
    }
    await this.master.settle();
  }

  /** Destroys a key: nothing that it sealed opens any more, here or in a copy. */
  destroy(id: string): void {
    const path = this.#path(id);
    const file = openSync(path, "r+");
    try {
      // A file system may still keep the old blocks; what they hold is wrapped.
      writeSync(file, randomBytes(statSync(path).size), undefined, undefined, 0);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    unlinkSync(path);
    this.#seenAt = -1;
    this.#open.delete(id);
  }

  /** Destroys a key for good, and notes that this was meant, and by which user: what it sealed is not missed. */
  shred(id: string, by = ""): void {
    writeFileSync(this.#shreddedPath(id), by, { mode: 0o600, flush: true });
    this.destroy(id);
  }

  /** Whether a key was destroyed on purpose although it was needed. */
  isShredded(id: string): boolean {
    return existsSync(this.#shreddedPath(id));
  }

  /** Who shredded a key on this machine; undefined where that is not known. */
  shreddedBy(id: string): string | undefined {
    return (this.isShredded(id) && readFileSync(this.#shreddedPath(id), "utf8")) || undefined;
  }

  #shreddedPath(id: string): string {
    return join(this.#folder, `${id}.shredded`);
  }

  #unwrap(kept: KeptKey): Promise<DataKey> {
    const known = this.#open.get(kept.id);
    if (known !== undefined) return known;
    const opened = this.#unwrapSurely(kept).then((key) => new DataKey(kept, key));
    this.#open.set(kept.id, opened);
    opened.catch(() => this.#open.delete(kept.id)); // asked again the next time
    return opened;
  }

  /** A service that answers with another key must not make us seal with it: it could never be had again. */
  async #unwrapSurely({ id, of, wrapped, check }: KeptKey): Promise<Buffer> {
    const key = await this.master.unwrap(wrapped, contextOf(id, of));
    if (key.length !== keyBytes || (check !== undefined && checkOf(key) !== check))
      throw new OtherMaster(`${this.master.place} opened the data key ${id} of ${of} to something else`);
    return key;
  }

  /** What cannot be unwrapped again would be lost with this process. */
  async #wrapSurely(key: Buffer, context: string): Promise<Wrapped> {
    const wrapped = await this.master.wrap(key, context);
    if (!key.equals(await this.master.unwrap(wrapped, context)))
      throw new OtherMaster(`${this.master.place} does not give back what it wrapped`);
    return wrapped;
  }

  #read(): KeptKey[] {
    const names = readdirOrNone(this.#folder).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
    const keys = names.flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(join(this.#folder, name), "utf8")) as KeptKey];
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return []; // destroyed just now
        throw new Error(`${join(this.#folder, name)} is damaged: put it back from a copy of the keys`, {
          cause: error,
        });
      }
    });
    return keys.sort((a, b) => b.version - a.version || (a.id < b.id ? -1 : 1));
  }

  #write(kept: KeptKey): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#path(kept.id);
    const draft = `${path}.${randomBytes(4).toString("hex")}.new`;
    const file = openSync(draft, "wx", 0o600);
    try {
      writeSync(file, `${JSON.stringify(kept)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
    const folder = openSync(this.#folder, "r");
    fsyncSync(folder); // before anything is sealed with it
    closeSync(folder);
    this.#seenAt = -1;
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

function checkOf(key: Buffer): string {
  return Buffer.from(hkdfSync("sha256", key, "", "tessera check", 8)).toString("hex");
}

function contextOf(id: string, owner: string): string {
  return `tessera data key ${id} of ${owner}`;
}

function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
