import { type Refusal, refuse } from "@tessera/core";

/** What the caller knows of the thing that it edits; nothing known, anything goes. */
interface Known {
  readonly ifMatch: string | undefined;
  readonly ifNone: boolean;
}

/** A refusal when the caller named another revision than the one there is; no `tag` where there is none. */
export function staleUnless({ ifMatch, ifNone }: Known, tag: string | undefined, field: string): Refusal | undefined {
  const stale = (what: string) => refuse("stale", field, null, what, "read it again and repeat the edit");
  if (ifNone && tag !== undefined) return stale("was made by another request since you looked");
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  if (tag === undefined) return stale("was deleted by another request since you read it");
  const named = ifMatch.split(",").map((each) =>
    each
      .trim()
      .replace(/^W\//, "")
      .replace(/^"(.*)"$/, "$1"),
  );
  return named.includes(tag) ? undefined : stale("was changed by another request since you read it");
}
