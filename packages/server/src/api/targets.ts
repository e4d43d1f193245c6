import type { Account, RoleBinding, Token, User } from "@tessera/core";
import type { Resource } from "@tessera/wire";
import type { FoundJob } from "../flow/find/find-job.ts";

/** What each kind of resource is once it was found. */
export interface Targets extends Record<Resource, unknown> {
  job: FoundJob;
  account: Account;
  user: User;
  token: Token;
  binding: { readonly user: User; readonly binding: RoleBinding; readonly account: Account };
  "in-project": Account;
  "in-account": Account;
  /** The highest accounts to show; what lies below them is included. */
  visible: readonly Account[];
  fleet: undefined;
  self: undefined;
  anyone: undefined;
}
