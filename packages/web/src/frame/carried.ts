import { useCallback } from "react";
import { useSearch } from "wouter";
import { narrowable } from "./account.ts";

const hasRange = /^\/(fleet|queue|quota(\/.+)?|cost(\/money|\/waste)?|nodes\/.+)?$/;

/** What of an address goes along to other pages, and which pages show it too. */
const shownBy: Readonly<Record<string, RegExp>> = {
  account: narrowable,
  // A node and a job are shown as they are now; they lead back to the moment.
  at: /^\/(fleet|queue|nodes\/.+|jobs\/.+)$/,
  range: hasRange,
  compare: hasRange,
};

/** An address with what the page before showed: its account, moment and range, as far as the next one shows them too. */
export function carried(href: string, from: URLSearchParams): string {
  const [path = "", search = ""] = href.split("?");
  const params = new URLSearchParams(search);
  for (const [name, pages] of Object.entries(shownBy)) {
    const value = from.get(name);
    if (value !== null && !params.has(name) && pages.test(path)) params.set(name, value);
  }
  return params.size === 0 ? path : `${path}?${params}`;
}

/** Carries what the page shows along to addresses that lead on. */
export function useCarried(): (href: string) => string {
  const search = useSearch();
  return useCallback((href) => carried(href, new URLSearchParams(search)), [search]);
}
