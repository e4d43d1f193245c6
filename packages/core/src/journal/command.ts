import type { Role } from "../model/access.ts";
import type { AccountTerms, QuotaWindow } from "../model/account.ts";
import type { AccountId, JobId, OperationId, TokenId, UserId } from "../model/ids.ts";
import type { JobOutcome, JobSpec } from "../model/job.ts";
import type { MaintenanceWindow, NodeFacts } from "../model/node.ts";
import type { Policy } from "../model/policy.ts";
import type { Instant } from "../model/units.ts";
import type { MoneyCommand } from "./money-command.ts";

/**
 * What can be asked of the core. A command is an input: it is written to the journal as it came, beside the events
 * that the core answered with. Accounts are named by path, everything else by its outside id.
 */
export type Command =
  | SubmitJob
  | { readonly kind: "job.cancel"; readonly job: JobId }
  | { readonly kind: "job.hold"; readonly job: JobId }
  | { readonly kind: "job.release"; readonly job: JobId }
  | { readonly kind: "account.create"; readonly id: AccountId; readonly path: string; readonly terms: AccountTerms }
  | { readonly kind: "account.edit"; readonly path: string; readonly terms: AccountTerms; readonly ifRevision?: number }
  /** Another quota for a time; null takes back those that are planned or in force. */
  | {
      readonly kind: "account.window";
      readonly path: string;
      readonly window: Pick<QuotaWindow, "from" | "to" | "zone" | "quota"> | null;
      readonly ifRevision?: number;
    }
  | { readonly kind: "account.delete"; readonly path: string; readonly ifRevision?: number }
  /** An engine's inventory: adds the nodes that are new, refreshes the others. Sent by the shell, not by people. */
  | { readonly kind: "node.register"; readonly nodes: readonly NodeFacts[] }
  | { readonly kind: "node.cordon"; readonly node: string; readonly reason: string }
  | { readonly kind: "node.drain"; readonly node: string; readonly reason: string; readonly until?: Instant }
  /** Out of use from one instant to another; null takes back what is planned, and ends what is in force. */
  | {
      readonly kind: "node.maintenance";
      readonly node: string;
      readonly window: Pick<MaintenanceWindow, "from" | "to" | "zone" | "reason"> | null;
    }
  | { readonly kind: "node.up"; readonly node: string }
  /** The owner vouches that nothing runs there any more; its leases are lost and their jobs start elsewhere. */
  | { readonly kind: "node.down"; readonly node: string; readonly reason: string }
  /** With a first role, so that there is never a user whom only the platform's owner can reach. */
  | {
      readonly kind: "user.create";
      readonly user: UserId;
      readonly first?: { readonly role: Role; readonly account: string };
    }
  | { readonly kind: "user.disable"; readonly user: UserId }
  | { readonly kind: "user.enable"; readonly user: UserId }
  /** Name, address and password go from the private table in the same commit; the user stays, disabled. */
  | { readonly kind: "user.erase"; readonly user: UserId }
  /** The hash goes to the private table in the same commit. */
  | { readonly kind: "password.set"; readonly user: UserId }
  | { readonly kind: "role.bind"; readonly user: UserId; readonly role: Role; readonly account: string }
  | { readonly kind: "role.unbind"; readonly user: UserId; readonly role: Role; readonly account: string }
  | {
      readonly kind: "token.create";
      readonly id: TokenId;
      readonly user: UserId;
      readonly prefix: string;
      readonly hash: string;
      readonly label: string;
      readonly scopes: readonly string[];
      readonly expiresAt: Instant;
    }
  | { readonly kind: "token.revoke"; readonly token: TokenId }
  /** The value goes to the private table in the same commit, encrypted; the journal knows that it changed. */
  | { readonly kind: "secret.set"; readonly account: string; readonly name: string }
  | { readonly kind: "secret.delete"; readonly account: string; readonly name: string }
  | { readonly kind: "policy.set"; readonly policy: Policy }
  | MoneyCommand
  /** Written first after a restore: engines refuse orders of a lower epoch from then on. */
  | { readonly kind: "epoch.begin"; readonly reason: string };

export interface SubmitJob {
  readonly kind: "job.submit";
  readonly id: JobId;
  readonly account: string;
  readonly user: UserId;
  readonly spec: JobSpec;
  /** How the jobs of `spec.after` that are no longer live had ended when the shell looked. */
  readonly endedBefore: readonly { readonly job: JobId; readonly outcome: JobOutcome }[];
}

/** Who asked, for the audit record that the input itself is. */
export interface Actor {
  readonly user: UserId | "system";
  readonly token?: TokenId;
}

export interface CommandInput {
  readonly kind: "command";
  readonly v: 1;
  readonly op: OperationId;
  readonly actor: Actor;
  /** The request id that the caller saw. */
  readonly request: string;
  readonly command: Command;
  /** Repeating a create with the same key and body answers as the first time. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string };
}

/** "It is now": lets timers that are due take effect. */
export interface TickInput {
  readonly kind: "tick";
  readonly v: 1;
}
