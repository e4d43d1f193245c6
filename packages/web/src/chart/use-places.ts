import { useMemo } from "react";
import { useMay } from "../api/me.tsx";
import { useAllAccounts } from "../api/use-accounts.ts";
import { type Places, placesOf } from "./colours.ts";

/** Undefined if the accounts cannot be read: then colours follow from names. */
export type KnownPlaces = Places | undefined | "loading";

/** The places of accounts. Charts wait for them: drawn earlier, their colours would change. */
export function usePlaces(wanted: boolean): KnownPlaces {
  const on = useMay()("account.read") && wanted;
  const { data, isPending } = useAllAccounts({ on, mayFail: true });
  const places = useMemo(() => data && placesOf(data.map(({ path }) => path)), [data]);
  return on && isPending ? "loading" : places;
}
