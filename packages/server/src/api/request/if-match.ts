import { type Refusal, refuse } from "@tessera/core";

/** A refusal when the caller named another revision than the one there is. Without If-Match anything goes. */
export function staleUnless(ifMatch: string | undefined, tag: string, field: string): Refusal | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  const named = ifMatch.split(",").map((each) =>
    each
      .trim()
      .replace(/^W\//, "")
      .replace(/^"(.*)"$/, "$1"),
  );
  if (named.includes(tag)) return undefined;
  return refuse(
    "stale",
    field,
    null,
    "was changed by another request since you read it",
    "read it again and repeat the edit",
  );
}
