import { useSearch } from "wouter";

/** The parameter of an address that narrows a page to an account and all below it. */
export const accountParameter = "account";

/** Pages that the account in their address narrows. A month is closed for all tenants at once. */
export const narrowable = /^\/($|jobs$|queue$|audit$|cost(\/(?!close$)|$))/;

/** The account that the page is narrowed to, which is in its address; empty = all that may be seen. */
export function useAccount(): string {
  return new URLSearchParams(useSearch()).get(accountParameter) ?? "";
}

/** The tenant of an account: books know tenants, and no part of one. */
export function tenantOf(account: string): string {
  return account.split("/")[0]!;
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
