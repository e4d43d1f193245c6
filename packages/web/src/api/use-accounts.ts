import { useQuery } from "@tanstack/react-query";
import type { Account } from "@tessera/wire";
import { callAll, isNotShown } from "./call.ts";

/** Accounts are made seldom; what makes one asks for all again. */
const keptMs = 60_000;
const none: readonly Account[] = [];

/** Every account that the person sees but the root, for forms in which one is chosen. Empty until they are there. */
export function useAccounts(options?: Parameters<typeof useAllAccounts>[0]): readonly Account[] {
  return useAllAccounts(options).data ?? none;
}

/** The same, with whether they are there. */
export function useAllAccounts({ on = true, mayFail = false } = {}) {
  return useQuery({
    queryKey: ["all accounts"],
    queryFn: async ({ signal }) => {
      const all = await callAll("listAccounts", {}, { signal });
      return all.filter(({ path }) => path !== "");
    },
    enabled: on,
    staleTime: keptMs,
    throwOnError: on && !mayFail ? isNotShown : false,
  });
}
