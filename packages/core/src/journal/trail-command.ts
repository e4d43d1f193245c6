import type { Anchor } from "../model/anchor.ts";
import type { PrivateNote } from "./trail-event.ts";

/** Commands about the checks on the journal's own history. */
export type TrailCommand =
  /** The shell's own: names the key that signs heads from now on. */
  | { readonly kind: "key.name"; readonly publicKey: string; readonly signature?: string }
  /** The shell's own: covers private rows from before rows were covered. The input carries the notes. */
  /** With `replaces` it is refused where these rows are not what they are said to be: someone was faster. */
  | { readonly kind: "privates.note"; readonly replaces?: readonly PrivateNote[] }
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
