import { createHash, createHmac } from "node:crypto";
import { join } from "node:path";
import { openFrame, sealFrame, type WrappingKey } from "./form.ts";

/** Keys of one tenant that came from one data key: one wraps files, the other makes their names. */
export interface ContentKey extends WrappingKey {
  readonly nameKey: Buffer;
}

/** The keys of a tenant, the newest first; it seals, all open. */
export type ContentKeys = (tenant: string) => Promise<readonly ContentKey[]>;

/** What a job's files and log are sealed with: of each kind the newest first. */
export interface JobKeys {
  readonly content: readonly ContentKey[];
  readonly log: readonly WrappingKey[];
}

/** Where an engine gets the keys of tenants from. */
export interface EngineKeys {
  of(tenant: string): Promise<JobKeys>;
  /** The key of a log by its id; undefined where it was destroyed. */
  logKey(id: string): Promise<WrappingKey | undefined>;
}

/** The same as text, for a process that is given it through a pipe. */
export interface SentKeys {
  readonly content: readonly { readonly id: string; readonly key: string; readonly nameKey: string }[];
  readonly log: readonly { readonly id: string; readonly key: string }[];
}

export function sentKeys({ content, log }: JobKeys): SentKeys {
  return {
    content: content.map(({ id, key, nameKey }) => ({ id, key: textOf(key), nameKey: textOf(nameKey) })),
    log: log.map(({ id, key }) => ({ id, key: textOf(key) })),
  };
}

export function takenKeys({ content, log }: SentKeys): JobKeys {
  return {
    content: content.map(({ id, key, nameKey }) => ({ id, key: bytesOf(key), nameKey: bytesOf(nameKey) })),
    log: log.map(({ id, key }) => ({ id, key: bytesOf(key) })),
  };
}

const textOf = (key: Buffer): string => key.toString("base64");
const bytesOf = (key: string): Buffer => Buffer.from(key, "base64");

/** Folders of sealed files begin so; those of plain files are two hexadecimal digits. */
export const sealedFolder = /^x[0-9a-f]{2}$/;

/** A name says nothing of what it names: whether a known file is here can be found out with the key only. */
export function nameOf({ nameKey }: ContentKey, sha256: string): string {
  return createHmac("sha256", nameKey).update(sha256).digest("hex");
}

export function sealedPath(root: string, key: ContentKey, sha256: string): string {
  const name = nameOf(key, sha256);
  return join(root, `x${name.slice(0, 2)}`, name.slice(2));
}

export function plainPath(root: string, sha256: string): string {
  return join(root, sha256.slice(0, 2), sha256.slice(2));
}

/** What a file of content is, as its header has it. */
export function labelOf(sha256: string): Buffer {
  return Buffer.from(sha256, "hex");
}

/** A label for anything else. */
export function labelFor(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The id of a tree, sealed as the content of its marker. */
export function sealedMark(key: ContentKey, tree: string): string {
  return `${key.id} ${sealFrame({ key: key.key, label: labelOf(tree) }, 0, Buffer.from(tree)).toString("base64")}`;
}

/** The tree of a marker; undefined where its key is gone. */
export function openMark(known: readonly ContentKey[], text: string): string | undefined {
  const [id, sealed = ""] = text.split(" ");
  const key = known.find((each) => each.id === id);
  return key && openFrame({ key: key.key, label: Buffer.alloc(0) }, 0, Buffer.from(sealed, "base64")).toString();
}
