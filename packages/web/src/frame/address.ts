import { useCallback } from "react";
import { useSearchParams } from "wouter";

/** The page of a node, whose name holds its engine where the fleet has several. */
export function nodeAddress(name: string): string {
  return `/nodes/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/** A part of an address as text; one that was typed by hand may be no encoding of anything. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The parameters of the page's address, and a way to change them; an empty value removes one. */
export function useAddress(): readonly [
  URLSearchParams,
  (values: Readonly<Record<string, string | undefined>>) => void,
] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (values: Readonly<Record<string, string | undefined>>) =>
      setParams(
        (before) => {
          for (const [name, value] of Object.entries(values)) {
            if (value === undefined || value === "") before.delete(name);
            else before.set(name, value);
          }
          return before;
        },
        { replace: true },
      ),
    [setParams],
  );
  return [params, set];
}
