import type { Compared, Remembered } from "@tessera/wire/history";
import { useSyncExternalStore } from "react";
import { call } from "./call.ts";

/** What this browser remembers of the server's history; see docs/verify.md. */
const place = "tessera-head";

export type HistoryFault = Extract<Compared, { fault: string }>;

let fault: HistoryFault | undefined;
let busy = false;
const listeners = new Set<() => void>();

/** Compares the head that an answer carries with the newest one that is remembered. One at a time: answers are many. */
export async function noteHead(line: string | null): Promise<void> {
  if (line === null || busy || fault?.now === line) return;
  busy = true;
  try {
    if (await canCheck()) await compare(recall(), line);
  } catch {
    // The server is gone for the moment, or this browser keeps nothing: the next answer is compared again.
  } finally {
    busy = false;
  }
}

/** Asks for the newest head and for the proof that it continues what this browser remembers, however new that is. */
export async function compareNow(): Promise<void> {
  if (!(await canCheck())) throw new Error("This browser cannot check signatures here: it takes HTTPS and Ed25519.");
  busy = true;
  try {
    const { line } = await call("getHead");
    const known = recall();
    // What was only seen so far is proven too.
    const due = known && { ...known, checkedAt: 0, ...(line === known.seen && { seen: known.checked }) };
    // Nothing was written since: what is remembered is what is there.
    if (!(await compare(due, line)) && known !== undefined) remember({ ...known, checkedAt: Date.now() });
  } finally {
    busy = false;
  }
}

/** Whether there was something to compare. */
async function compare(known: Remembered | undefined, line: string): Promise<boolean> {
  const { compareHead } = await import("@tessera/wire/history");
  const server = {
    head: () => call("getHead"),
    consistency: (from: number, to: number) => call("proveConsistency", { query: { from, to } }),
  };
  const compared = await compareHead(known, line, server, Date.now());
  if (compared === undefined) return false;
  if ("remember" in compared) remember(compared.remember);
  else tell(compared);
  return true;
}

function remember(now: Remembered): void {
  localStorage.setItem(place, JSON.stringify(now));
}

/** Believes the history as it is shown next. */
export function forgetHead(): void {
  localStorage.removeItem(place);
  tell(undefined);
}

export function useHistoryFault(): HistoryFault | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => fault,
  );
}

/** The signing key of the server that this browser remembers. */
export function knownKey(): string | undefined {
  try {
    return recall()?.key;
  } catch {
    return undefined;
  }
}

function tell(now: HistoryFault | undefined): void {
  fault = now;
  for (const listener of listeners) listener();
}

function recall(): Remembered | undefined {
  const text = localStorage.getItem(place);
  return text === null ? undefined : (JSON.parse(text) as Remembered);
}

/** Up to which row this browser has seen that the history continues what it remembers, and when it last looked. */
export function lastCheck(): { readonly row: number; readonly at: string } | undefined {
  const kept = recall();
  const row = /\brow=(\d{1,15})\b/.exec(kept?.checked ?? "")?.[1];
  return kept === undefined || row === undefined
    ? undefined
    : { row: Number(row), at: new Date(kept.checkedAt).toISOString() };
}

/** Not over plain HTTP to another machine, and not in browsers that do not know these signatures. */
async function canCheck(): Promise<boolean> {
  try {
    await crypto.subtle.importKey("raw", new Uint8Array(32), { name: "Ed25519" }, false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}
