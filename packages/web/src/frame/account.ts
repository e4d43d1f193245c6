import { useSearch } from "wouter";

/** The parameter of an address that narrows a page to an account and all below it. */
export const accountParameter = "account";

/** The account that the page is narrowed to, which is in its address; empty = all that may be seen. */
export function useAccount(): string {
  return new URLSearchParams(useSearch()).get(accountParameter) ?? "";
}

/** Whether an account is this one or lies below it; everything lies below the empty one. */
export function isWithin(path: string, account: string): boolean {
  return account === "" || path === account || path.startsWith(`${account}/`);
}

/** The steps of a path from the top: `a/b/c` is `a`, `a/b`, `a/b/c`. */
export function stepsOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, no) => parts.slice(0, no + 1).join("/"));
}
