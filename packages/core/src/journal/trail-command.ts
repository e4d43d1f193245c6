import type { Anchor } from "../model/anchor.ts";
import type { KeyChange, PrivateNote } from "./trail-event.ts";

/** Commands about the checks on the journal's own history. */
export type TrailCommand =
  /** The shell's own: names the key that signs heads from now on. */
  | { readonly kind: "key.name"; readonly publicKey: string; readonly signature?: string }
  /** The shell's own: covers private rows from before rows were covered. The input carries the notes. */
  /** With `replaces` it is refused where these rows are not what they are said to be: someone was faster. */
  | { readonly kind: "privates.note"; readonly replaces?: readonly PrivateNote[] }
  /** The shell's own, or that of who rotates: keys that were made or destroyed. What is known already changes nothing. */
  | { readonly kind: "keys.note"; readonly changes: readonly KeyChange[] }
  | { readonly kind: "anchor.set"; readonly id: string; readonly anchor: Anchor }
  | { readonly kind: "anchor.drop"; readonly id: string }
  /** The shell has checked the signature. */
  | {
      readonly kind: "head.witness";
      readonly origin: string;
      readonly publicKey: string;
      readonly row: number;
      readonly line: string;
    };
