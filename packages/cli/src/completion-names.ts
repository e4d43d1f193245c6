import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./config/paths.ts";
import type { Session } from "./session.ts";

export type NameSource = "jobs" | "nodes" | "accounts" | "engines" | "pools";

interface Kept {
  readonly at: number;
  readonly names: readonly string[];
}

// A shell that waits longer than this feels stuck.
const budgetMs = 300;
const freshMs = 5_000;
const namesMax = 200;

/** Names to complete with: fresh from the server if it answers in time, else those of the last time. */
export async function namesOf(source: NameSource, session: Session): Promise<readonly string[]> {
  const { locate } = await session.settings();
  const { server, token = "" } = locate();
  // What one may see depends on who asks; the token itself is not written down.
  const who = createHash("sha256").update(`${server}\n${token}`).digest("hex").slice(0, 16);
  const file = join(cacheFolder(session.terminal.env), `${who}-${source}.json`);
  const kept = readKept(file);
  if (kept !== undefined && session.now() - kept.at < freshMs) return kept.names;
  const names = await Promise.race([
    fetchNames(source, session).catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), budgetMs).unref()),
  ]);
  if (names === undefined) return kept?.names ?? [];
  keep(file, { at: session.now(), names });
  return names;
}

async function fetchNames(source: NameSource, session: Session): Promise<readonly string[]> {
  const api = await session.api();
  const timeoutMs = budgetMs;
  const query = { limit: namesMax };
  if (source === "jobs")
    return distinct((await api.call("listJobs", { query, timeoutMs })).items.map(({ name }) => name));
  if (source === "nodes") return (await api.call("listNodes", { query, timeoutMs })).items.map(({ name }) => name);
  if (source === "engines") return (await api.call("listEngines", { query, timeoutMs })).items.map(({ name }) => name);
  if (source === "pools") return (await api.call("listPools", { query, timeoutMs })).items.map(({ name }) => name);
  return (await api.call("listAccounts", { query, timeoutMs })).items.map(({ path }) => path);
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

function readKept(file: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Kept;
  } catch {
    return undefined; // never asked before, or not readable: the same as nothing kept
  }
}

function keep(file: string, kept: Kept): void {
  try {
    mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(kept), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // A cache that cannot be written costs time, nothing else.
  }
}
