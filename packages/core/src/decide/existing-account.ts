import { type Refusal, refuse } from "../journal/refusal.ts";
import type { Account } from "../model/account.ts";
import type { State } from "../state/state.ts";

/** The account at this path, as it was when the caller read it. */
export function existing(state: State, path: string, ifRevision: number | undefined): Account | Refusal {
  const account = path === "" ? undefined : state.accountByPath.get(path);
  if (account === undefined) return refuse("not-found", "account", path, "does not exist", "see: tess account tree");
  if (ifRevision !== undefined && ifRevision !== account.revision) {
    return refuse(
      "stale",
      "account",
      path,
      "was changed by another request since you read it",
      "read it again and repeat the edit",
    );
  }
  return account;
}
