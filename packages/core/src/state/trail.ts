import type { Anchor } from "../model/anchor.ts";
import type { Instant } from "../model/units.ts";

/** A key that signs heads, and what the key before it signed to name it. */
export interface SigningKey {
  readonly publicKey: string;
  readonly signature?: string;
  readonly at: Instant;
}

/** The newest head of another server that is kept here. */
export interface WitnessedHead {
  readonly publicKey: string;
  readonly row: number;
  readonly line: string;
  readonly at: Instant;
}

/** What is known of the checks on the journal's own history. */
export interface Trail {
  /** Oldest first; the last one signs. */
  readonly keys: SigningKey[];
  /** The digest of each private row that is compared when it is used, by `kind/key`. */
  readonly privates: Map<string, string>;
  readonly anchors: Map<string, Anchor>;
  /** Keys that seal what is kept, and the owner of each. */
  readonly held: Map<string, string>;
  /** By origin. */
  readonly witnessed: Map<string, WitnessedHead>;
}

export function emptyTrail(): Trail {
  return { keys: [], privates: new Map(), anchors: new Map(), held: new Map(), witnessed: new Map() };
}

/** The kinds that are compared when they are used; of all others, only the journal holds the digests. */
export const comparedKinds: ReadonlySet<string> = new Set([
  "person",
  "password",
  "secret",
  "anchor",
  "engine",
  "identity",
  "provider",
  "factor",
  "scim",
]);

/** Where the digest of a private row is found. */
export function privateId(kind: string, key: string): string {
  return `${kind}/${key}`;
}
