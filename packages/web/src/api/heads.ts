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
    if (!(await canCheck())) return;
    const { compareHead } = await import("@tessera/wire/history");
    const server = {
      head: () => call("getHead"),
      consistency: (from: number, to: number) => call("proveConsistency", { query: { from, to } }),
    };
    const compared = await compareHead(recall(), line, server, Date.now());
    if (compared === undefined) return;
    if ("remember" in compared) localStorage.setItem(place, JSON.stringify(compared.remember));
    else tell(compared);
  } catch {
    // The server is gone for the moment, or this browser keeps nothing: the next answer is compared again.
  } finally {
    busy = false;
  }
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
