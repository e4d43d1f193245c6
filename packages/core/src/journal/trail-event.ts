import type { Anchor } from "../model/anchor.ts";
import type { Head } from "./head.ts";

/** What the journal records so that its own history can be checked from outside. */
export type TrailEvent = SigningKeyNamed | PrivatesNoted | KeysNoted | AnchorChanged | HeadWitnessed;

/** From now on heads are signed by this key. */
export interface SigningKeyNamed extends Head<"signing-key-named"> {
  /** Ed25519, SPKI, base64. */
  readonly publicKey: string;
  /** The key before signs for this one; absent for the first key, and where the key before was lost. */
  readonly signature?: string;
}
/** Private rows that the same commit writes or erases. */
export interface PrivatesNoted extends Head<"privates-noted"> {
  readonly rows: readonly PrivateNote[];
}
/** Keys that seal what is kept were made or destroyed. */
export interface KeysNoted extends Head<"keys-noted"> {
  readonly changes: readonly KeyChange[];
}
/** An anchor was set, or is gone where `anchor` is absent. */
export interface AnchorChanged extends Head<"anchor-changed"> {
  readonly id: string;
  readonly anchor?: Anchor;
}
/** A head of another server, kept here for it. */
export interface HeadWitnessed extends Head<"head-witnessed"> {
  /** The server that it came from: the id of its first signing key. */
  readonly origin: string;
  /** The key that signed it. */
  readonly publicKey: string;
  readonly row: number;
  /** The signed head as it came. */
  readonly line: string;
}

/** What became of one key; of the key itself nothing is told. */
export interface KeyChange {
  readonly key: string;
  /** The id of a tenant, `platform`, `journal` or `master`. */
  readonly of: string;
  /** Shredded: although something still needed it. */
  readonly is: "made" | "destroyed" | "shredded";
  /** Who did it on the machine itself, by the name of the account there; absent: the server, or the actor of the command. */
  readonly by?: string;
}

/** Which private row, and the SHA-256 of what it holds; empty once it is erased. */
export interface PrivateNote {
  readonly kind: string;
  readonly key: string;
  readonly digest: string;
}
