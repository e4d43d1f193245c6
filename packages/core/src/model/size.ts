/** A size that an owner gave a name, such as Small: what one of it is, and what it counts in a quota. */
export interface SizeClass {
  /** As it was given, and as a job asks for it: `1g.10gb`, `H100:0.25`, `H100:1`. */
  readonly ask: string;
  /** The model whose quota it counts in; `*` = any. */
  readonly model: string;
  /** The larger of its compute and its memory, since one number bounds both (U1). */
  readonly units: number;
}

/** By name, in the owner's spelling. */
export type SizeClasses = { readonly [name: string]: SizeClass };

/** So many of each size, as a quota was given. */
export type SizeCounts = { readonly [name: string]: number };

/** A size by its name, however it is capitalised. */
export function findSize(sizes: SizeClasses | undefined, text: string): (SizeClass & { name: string }) | undefined {
  const wanted = text.toLowerCase();
  for (const name in sizes) if (name.toLowerCase() === wanted) return { name, ...sizes[name]! };
  return undefined;
}
