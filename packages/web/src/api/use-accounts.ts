import { useQuery } from "@tanstack/react-query";
import type { Account } from "@tessera/wire";
import { callAll, isNotShown } from "./call.ts";

/** Accounts are made seldom; what makes one asks for all again. */
const keptMs = 60_000;
const none: readonly Account[] = [];

/** Every account that the person sees but the root, for forms in which one is chosen. Empty until they are there. */
export function useAccounts({ on = true, mayFail = false } = {}): readonly Account[] {
  const { data = none } = useQuery({
    queryKey: ["all accounts"],
    queryFn: async ({ signal }) => {
      const all = await callAll("listAccounts", {}, signal);
      return all.filter(({ path }) => path !== "");
    },
    enabled: on,
    staleTime: keptMs,
    throwOnError: mayFail ? false : isNotShown,
  });
  return data;
}
