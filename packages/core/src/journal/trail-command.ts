import type { Anchor } from "../model/anchor.ts";

/** Commands about the checks on the journal's own history. */
export type TrailCommand =
  /** The shell's own: names the key that signs heads from now on. */
  | { readonly kind: "key.name"; readonly publicKey: string; readonly signature?: string }
  /** The shell's own: covers private rows from before rows were covered. The input carries the notes. */
  | { readonly kind: "privates.note" }
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
