import { isWithin } from "../../frame/account.ts";

/** What is in a sum beside what these accounts came to. */
export function restOf(totalMicros: string, spentBy: ReadonlyMap<string, string>): string {
  return [...spentBy.values()].reduce((rest, micros) => rest - BigInt(micros), BigInt(totalMicros)).toString();
}

/** What all accounts at and below each of these came to, by its path. */
export function addedUp(
  rows: readonly { readonly key: string; readonly micros: string }[],
  teams: readonly { readonly account: string }[],
): ReadonlyMap<string, string> {
  return new Map(
    teams.map(({ account }) => {
      const below = rows.filter(({ key }) => isWithin(key, account));
      return [account, below.reduce((sum, { micros }) => sum + BigInt(micros), 0n).toString()];
    }),
  );
}
