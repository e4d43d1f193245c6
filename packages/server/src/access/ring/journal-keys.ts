import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoreKey } from "../../store/seal/keys.ts";
import { type RingPlace, ringAt } from "./place.ts";
import { type DataKey, platform } from "./ring.ts";

/** A journal key as it lies in its file. */
interface KeptJournalKey {
  readonly id: string;
  readonly madeAt: number;
  /** Who made it on this machine. */
  readonly maker?: string;
  /** The data key of the platform that wraps it. */
  readonly by: string;
  /** Nonce, tag and ciphertext, in base64. */
  readonly wrapped: string;
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * The keys that seal stores, a file each beside the data keys, wrapped by the data key of the platform: rotating that one
 * writes a small file again and no row of the journal. A store names the key it needs; others that lie here do no harm.
 */
export class JournalKeys {
  readonly #place: RingPlace;

  constructor(place: RingPlace) {
    this.#place = place;
  }

  /** All keys, opened. */
  async open(): Promise<StoreKey[]> {
    const ring = ringAt(this.#place);
    return Promise.all(this.#list().map(async (kept) => unwrap(kept, await ring.find(kept.by))));
  }

  /** Makes another key. */
  async make(maker?: string): Promise<StoreKey> {
    const made = { id: randomBytes(8).toString("hex"), key: randomBytes(32).toString("base64") };
    const kept = wrap(made, Date.now(), await ringAt(this.#place).current(platform));
    this.#write(maker === undefined ? kept : { ...kept, maker });
    return made;
  }

  /** Destroys all keys but this one. */
  keepOnly(id: string | undefined): void {
    for (const kept of this.#list()) if (kept.id !== id) rmSync(this.#path(kept.id));
  }

  /** Has the newest data key of the platform wrap every key; returns how many another had wrapped. */
  async rewrap(): Promise<number> {
    const ring = ringAt(this.#place);
    const [newest] = ring.of(platform);
    const old = this.#list().filter(({ by }) => by !== newest?.id);
    for (const kept of old) {
      const key = unwrap(kept, await ring.find(kept.by));
      this.#write({ ...kept, ...wrap(key, kept.madeAt, await ring.current(platform)) });
    }
    return old.length;
  }

  /** Which keys there are, and who made them. */
  list(): readonly { readonly id: string; readonly maker?: string }[] {
    return this.#list();
  }

  /** The data keys that wrap one. */
  wrappedBy(): ReadonlySet<string> {
    return new Set(this.#list().map(({ by }) => by));
  }

  #list(): KeptJournalKey[] {
    const { folder } = this.#place;
    const names = existsSync(folder)
      ? readdirSync(folder).filter((name) => /^journal-[0-9a-f]{16}\.json$/.test(name))
      : [];
    return names.sort().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as KeptJournalKey);
  }

  #write(kept: KeptJournalKey): void {
    mkdirSync(this.#place.folder, { recursive: true, mode: 0o700 });
    const path = this.#path(kept.id);
    writeFileSync(`${path}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }

  #path(id: string): string {
    return join(this.#place.folder, `journal-${id}.json`);
  }
}

function wrap({ id, key }: StoreKey, madeAt: number, by: DataKey): KeptJournalKey {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", by.for("journal"), nonce).setAAD(contextOf(id));
  const text = Buffer.concat([cipher.update(key, "base64"), cipher.final()]);
  return { id, madeAt, by: by.id, wrapped: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64") };
}

function unwrap({ id, wrapped }: KeptJournalKey, by: DataKey): StoreKey {
  const bytes = Buffer.from(wrapped, "base64");
  const [tagAt, textAt] = [nonceBytes, nonceBytes + tagBytes];
  const key = by.for("journal");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, tagAt), { authTagLength: tagBytes });
  decipher.setAAD(contextOf(id)).setAuthTag(bytes.subarray(tagAt, textAt));
  try {
    return { id, key: Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString("base64") };
  } catch (cause) {
    throw new Error(`the journal key ${id} does not open: put its file back from a copy of the keys`, { cause });
  }
}

function contextOf(id: string): Buffer {
  return Buffer.from(`tessera journal key ${id}`);
}
