import { useMemo } from "react";
import { useAllAccounts } from "../api/use-accounts.ts";
import { type Places, placesOf } from "./colours.ts";

/** Undefined where the accounts cannot be read: then names decide. */
export type KnownPlaces = Places | undefined | "loading";

/** Where each account that the person sees stands among its siblings: drawn before that is known, colours would change. */
export function usePlaces(on: boolean): KnownPlaces {
  const { data, isPending } = useAllAccounts({ on, mayFail: true });
  const places = useMemo(() => data && placesOf(data.map(({ path }) => path)), [data]);
  return on && isPending ? "loading" : places;
}
