import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, renameSync } from "node:fs";
import { sha256 } from "../../journal/digest.ts";
import { makeKeyFile, readKeyFile } from "../key-file.ts";

/** A data key as it is kept: only the master key named here opens it. */
export interface Wrapped {
  readonly master: string;
  /** Base64. */
  readonly value: string;
}

/** What wraps data keys: a file, or a key service that never gives its key away. */
export interface Master {
  /** Where the key is, for messages. */
  readonly place: string;
  /** The id of the key that wraps now. Throws MasterAway where it cannot be used. */
  current(): Promise<string>;
  /** `context` is bound to what is wrapped: it opens under the same one only. */
  wrap(key: Buffer, context: string): Promise<Wrapped>;
  unwrap(wrapped: Wrapped, context: string): Promise<Buffer>;
  /** From now on a new key wraps; the one before still unwraps. */
  rotate(): Promise<void>;
  /** Nothing is wrapped by earlier keys any more: they are destroyed. */
  settle(): Promise<void>;
}

/** The master key cannot be used now. What is open already stays usable; nothing new is sealed for keeps. */
export class MasterAway extends Error {}

/** There is a master key, but not the one that wrapped what is here. A server does not start with it: it would seal with it. */
export class OtherMaster extends MasterAway {}

const nonceBytes = 12;
const tagBytes = 16;

export function wrapWith(master: Buffer, key: Buffer, context: string): Wrapped {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", master, nonce).setAAD(Buffer.from(context));
  const text = Buffer.concat([cipher.update(key), cipher.final()]);
  return { master: masterIdOf(master), value: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64") };
}

export function unwrapWith(master: Buffer, { value }: Wrapped, context: string): Buffer {
  const bytes = Buffer.from(value, "base64");
  const start = nonceBytes + tagBytes;
  const decipher = createDecipheriv("aes-256-gcm", master, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(nonceBytes, start));
  return Buffer.concat([decipher.update(bytes.subarray(start)), decipher.final()]);
}

/** By this a master key is recognised without being shown. */
export function masterIdOf(master: Buffer): string {
  return sha256(Buffer.concat([Buffer.from("tessera master key\n"), master]))
    .toString("hex")
    .slice(0, 16);
}

/** The master key in a file. While it is rotated, the next one lies beside it and wraps already. */
export class FileMaster implements Master {
  readonly place: string;

  constructor(path: string) {
    this.place = path;
  }

  get isThere(): boolean {
    return existsSync(this.place) || existsSync(this.#next);
  }

  make(): void {
    makeKeyFile(this.place);
  }

  async current(): Promise<string> {
    return masterIdOf(this.#keys()[0]!);
  }

  async wrap(key: Buffer, context: string): Promise<Wrapped> {
    return wrapWith(this.#keys()[0]!, key, context);
  }

  async unwrap(wrapped: Wrapped, context: string): Promise<Buffer> {
    const key = this.#keys().find((each) => masterIdOf(each) === wrapped.master);
    if (key === undefined) {
      throw new OtherMaster(
        `${this.place} is not the master key ${wrapped.master} that wraps the data keys here: put that one back`,
      );
    }
    return unwrapWith(key, wrapped, context);
  }

  async rotate(): Promise<void> {
    if (!existsSync(this.#next)) makeKeyFile(this.#next);
  }

  async settle(): Promise<void> {
    if (existsSync(this.#next)) renameSync(this.#next, this.place);
  }

  get #next(): string {
    return `${this.place}.next`;
  }

  /** The newest first. Read each time: who takes the file away takes it from a running server too. */
  #keys(): Buffer[] {
    const found = [this.#next, this.place].filter((path) => existsSync(path));
    if (found.length === 0)
      throw new MasterAway(
        `the master key ${this.place} is not there: put it back, or name its place with --master-key`,
      );
    return found.map(readKeyFile);
  }
}
