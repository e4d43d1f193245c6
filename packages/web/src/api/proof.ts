import { proofHeader } from "@tessera/wire/addresses";

/**
 * The page's half of the session. A cookie is sent to every port of this host; this is not: only pages of this very
 * origin can read it. Kept for all tabs, and worth nothing without the cookie, which scripts cannot read.
 */
const place = "tessera-proof";
let kept: string | null = null;

export function keepProof(proof: string): void {
  kept = proof;
  try {
    localStorage.setItem(place, proof);
  } catch {} // a browser that keeps nothing asks to sign in again in each tab
}

export function forgetProof(): void {
  kept = null;
  try {
    localStorage.removeItem(place);
  } catch {}
}

/** Calls a listener when another tab has signed in; returns how to stop. */
export function onProof(listener: () => void): () => void {
  const heard = ({ key, newValue }: StorageEvent) => {
    if (key === place && newValue !== null) listener();
  };
  addEventListener("storage", heard);
  return () => removeEventListener("storage", heard);
}

/** Shows the proof with a request to the API. */
export function withProof(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const proof = readProof();
  return proof === null ? { ...headers } : { ...headers, [proofHeader]: proof };
}

/** Asked each time: another tab may have signed in meanwhile. */
function readProof(): string | null {
  try {
    return localStorage.getItem(place) ?? kept;
  } catch {
    return kept;
  }
}
