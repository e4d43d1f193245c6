import { useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";

/** Ends this session, or all of the user's. */
export function useSignOut(onSignOut: () => void): (everywhere: boolean) => Promise<void> {
  const queries = useQueryClient();
  return async (everywhere) => {
    await call(everywhere ? "signOutEverywhere" : "signOut").catch(() => {});
    queries.clear();
    onSignOut();
  };
}
