/** A size that an owner named, such as Small: what a job of that size gets, and what it counts in a quota. */
export interface SizeClass {
  /** In the notation of a job's `gpus`: `1g.10gb`, `H100:0.25`, `H100:1`. */
  readonly ask: string;
  /** The model in whose quota it counts; `*` = any. */
  readonly model: string;
  /** The larger of its compute and its memory, because one number bounds both [U1]. */
  readonly units: number;
}

/** By name, in the owner's spelling. */
export type SizeClasses = { readonly [name: string]: SizeClass };

/** A quota given in sizes: the count of each. */
export type SizeCounts = { readonly [name: string]: number };

/** A size by its name, in any capitalisation. */
export function findSize(sizes: SizeClasses | undefined, text: string): (SizeClass & { name: string }) | undefined {
  const wanted = text.toLowerCase();
  for (const name in sizes) if (name.toLowerCase() === wanted) return { name, ...sizes[name]! };
  return undefined;
}
