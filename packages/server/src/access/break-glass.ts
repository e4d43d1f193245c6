import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Instant } from "@tessera/core";
import { tokenHash } from "./tokens.ts";

/** How long the link may wait for a browser. */
export const breakGlassLinkMs = 10 * 60_000;
/** How long the session lasts that it opens. */
export const breakGlassSessionMs = 30 * 60_000;
const bytesMax = 1_000;

/** What a file in the data folder says: someone who can write there wants to come in as an owner. */
export interface BreakGlass {
  /** Login name; absent: the only owner. */
  readonly user?: string;
  /** Who made it on the machine. */
  readonly by: string;
  readonly expiresAt: Instant;
}

/**
 * Makes the ticket of a link that signs an owner in once. It needs no password, provider, factor or running server: to be
 * able to write into the data folder is what proves it. The file holds only the hash of the ticket, as its name.
 */
export function makeBreakGlass(data: string, user: string | undefined, now: Instant): { ticket: string } & BreakGlass {
  const folder = folderIn(data);
  const ticket = randomBytes(32).toString("base64url");
  const made: BreakGlass = {
    ...(user !== undefined && { user }),
    by: userInfo().username,
    expiresAt: now + breakGlassLinkMs,
  };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, fileOf(ticket));
  writeFileSync(file, JSON.stringify(made), { mode: 0o600, flag: "wx", flush: true });
  // Root makes it for the user that the server runs as.
  const { uid, gid } = statSync(data);
  if (process.getuid?.() === 0) for (const path of [folder, file]) chownSync(path, uid, gid);
  return { ticket, ...made };
}

/** What the ticket is good for, once; undefined where there is none, it is too old, or another user could have made it. */
export function takeBreakGlass(data: string, ticket: string, now: Instant): BreakGlass | undefined {
  const folder = folderIn(data);
  const file = join(folder, fileOf(ticket));
  let descriptor: number;
  try {
    if (!isOurs(lstatSync(folder))) return undefined;
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const facts = fstatSync(descriptor);
    const text = facts.isFile() && isOurs(facts) && facts.size <= bytesMax ? readFileSync(descriptor, "utf8") : "{}";
    unlinkSync(file); // before it counts: of two browsers that bring it, one fails here
    const { user, by, expiresAt } = JSON.parse(text) as Partial<BreakGlass>;
    if (typeof by !== "string" || typeof expiresAt !== "number") return undefined;
    if (expiresAt <= now || expiresAt > now + breakGlassLinkMs) return undefined;
    return { by, expiresAt, ...(typeof user === "string" && { user }) };
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** Of the user that the server runs as, and closed to all others. */
function isOurs({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  return uid === (process.getuid?.() ?? uid) && (mode & 0o077) === 0;
}

function folderIn(data: string): string {
  return join(data, "break-glass");
}

function fileOf(ticket: string): string {
  return `${tokenHash(ticket)}.json`;
}
