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

type Values = Readonly<Record<string, string | undefined>>;

interface How {
  /** A step that Back takes again. What is typed replaces the address instead: nobody goes back letter by letter. */
  readonly push?: boolean;
}

/** The parameters of the page's address, and a way to change them; an empty value removes one. */
export function useAddress(): readonly [URLSearchParams, (values: Values, how?: How) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (values: Values, { push = false }: How = {}) => {
      const before = new URLSearchParams(location.search);
      const after = changed(before, values);
      // What is chosen again is no step: Back would seem to do nothing.
      if (String(after) !== String(before)) setParams(after, { replace: !push });
    },
    [setParams],
  );
  return [params, set];
}

function changed(before: URLSearchParams, values: Values): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") after.delete(name);
    else after.set(name, value);
  }
  return after;
}
