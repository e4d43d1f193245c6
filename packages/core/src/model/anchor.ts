/** A place outside the store where the owner has heads of the journal kept. */
export interface Anchor {
  readonly kind: "folder" | "http" | "tessera";
  /** A folder of the server's machine, or an address. */
  readonly to: string;
}
