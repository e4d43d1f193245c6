import type { FactorKind, Role, SignInFacts } from "../model/access.ts";
import type { AccountTerms, QuotaWindow } from "../model/account.ts";
import type { EngineTerms } from "../model/engine.ts";
import type { ExchangeTerms } from "../model/exchange.ts";
import type { AccountId, JobId, OperationId, TokenId, UserId } from "../model/ids.ts";
import type { EntryKind, JobOutcome, JobSpec } from "../model/job.ts";
import type { MaintenanceWindow, NodeFacts } from "../model/node.ts";
import type { Policy } from "../model/policy.ts";
import type { PoolTerms } from "../model/pool.ts";
import type { GroupRule, ProviderTerms } from "../model/provider.ts";
import type { Instant } from "../model/units.ts";
import type { DataGrant } from "../model/volume.ts";
import type { HealthCommand } from "./health-command.ts";
import type { MoneyCommand } from "./money-command.ts";
import type { TrailCommand } from "./trail-command.ts";
import type { PrivateNote } from "./trail-event.ts";

/**
 * A request to the core. A command is an input: the journal keeps it unchanged, beside the events that the core decided.
 * Accounts are named by path, everything else by its outside id.
 */
export type Command =
  | SubmitJob
  /** With `force` its members are killed at once, without grace, also where they are stopping already. */
  | { readonly kind: "job.cancel"; readonly job: JobId; readonly force?: true }
  | { readonly kind: "job.hold"; readonly job: JobId }
  | { readonly kind: "job.release"; readonly job: JobId }
  /** A running job leaves with its grace and is held; a waiting one is held. */
  | { readonly kind: "job.suspend"; readonly job: JobId }
  /** A running job leaves with its grace and waits as its next attempt. */
  | { readonly kind: "job.requeue"; readonly job: JobId }
  /** A waiting job asks for something else from now on [O3]. */
  | { readonly kind: "job.edit"; readonly job: JobId; readonly spec: JobSpec }
  /** A live job gets these labels and loses those that are null; with an array, so do its live elements. */
  | { readonly kind: "job.label"; readonly job: JobId; readonly labels: { readonly [key: string]: string | null } }
  /** A person goes inside a running member; `what` names the command or the port, never what passes through. */
  | {
      readonly kind: "job.enter";
      readonly job: JobId;
      readonly rank: number;
      readonly user: UserId;
      readonly how: EntryKind;
      readonly what: string;
    }
  /** All GPUs of the job were measured since then, and none was more active than this. Sent by the shell, not by people. */
  | {
      readonly kind: "job.idle";
      readonly job: JobId;
      readonly attempt: number;
      readonly since: Instant;
      /** In ten-thousandths. */
      readonly activity: number;
    }
  | { readonly kind: "account.create"; readonly id: AccountId; readonly path: string; readonly terms: AccountTerms }
  | { readonly kind: "account.edit"; readonly path: string; readonly terms: AccountTerms; readonly ifRevision?: number }
  /** A quota for a limited time [U4]; null cancels the windows that are planned or in force. */
  | {
      readonly kind: "account.window";
      readonly path: string;
      readonly window: Pick<QuotaWindow, "from" | "to" | "zone" | "quota"> | null;
      readonly ifRevision?: number;
    }
  | { readonly kind: "account.delete"; readonly path: string; readonly ifRevision?: number }
  | RegisterNodes
  | { readonly kind: "node.cordon"; readonly node: string; readonly reason: string }
  | { readonly kind: "node.drain"; readonly node: string; readonly reason: string; readonly until?: Instant }
  /** Plans a maintenance window [B5]; null cancels planned windows and ends one that is in force. */
  | {
      readonly kind: "node.maintenance";
      readonly node: string;
      readonly window: Pick<MaintenanceWindow, "from" | "to" | "zone" | "reason"> | null;
    }
  | { readonly kind: "node.up"; readonly node: string }
  /** The owner confirms that nothing runs there any more: its leases are lost, and their jobs start elsewhere. */
  | { readonly kind: "node.down"; readonly node: string; readonly reason: string }
  | { readonly kind: "engine.create"; readonly name: string; readonly terms: EngineTerms }
  | { readonly kind: "engine.edit"; readonly name: string; readonly terms: EngineTerms }
  /** Its nodes take nothing new, and keep what they have. */
  | { readonly kind: "engine.cordon"; readonly name: string; readonly reason: string }
  /** Its nodes take work again; one that was to leave stays. */
  | { readonly kind: "engine.up"; readonly name: string }
  /** Its nodes take nothing new; when what runs there has ended, the engine and its nodes are gone. */
  | { readonly kind: "engine.delete"; readonly name: string }
  /** Whether the server reaches the engine; `away` says why not. Sent by the shell, not by people. */
  | { readonly kind: "engine.reach"; readonly name: string; readonly away?: string }
  | { readonly kind: "pool.create"; readonly name: string; readonly terms: PoolTerms }
  | { readonly kind: "pool.edit"; readonly name: string; readonly terms: PoolTerms }
  | { readonly kind: "pool.delete"; readonly name: string }
  /** With a first role, because a user without any role could be administered only by the platform's owner. */
  | {
      readonly kind: "user.create";
      readonly user: UserId;
      readonly first?: { readonly role: Role; readonly account: string };
      /** Path of the account that a service account belongs to. */
      readonly service?: string;
    }
  /** With `ends` its sessions and tokens are gone for good; without, they rest until the user is enabled. */
  | { readonly kind: "user.disable"; readonly user: UserId; readonly ends?: true }
  | { readonly kind: "user.enable"; readonly user: UserId }
  /** The same commit deletes name, address and password from the private table; the user stays, disabled. */
  | { readonly kind: "user.erase"; readonly user: UserId }
  /** The same commit writes the hash to the private table. */
  | { readonly kind: "password.set"; readonly user: UserId }
  | { readonly kind: "role.bind"; readonly user: UserId; readonly role: Role; readonly account: string }
  | { readonly kind: "role.unbind"; readonly user: UserId; readonly role: Role; readonly account: string }
  /** The roles that the rules of a source give a user now; others that it gave before go. */
  | {
      readonly kind: "role.follow";
      readonly user: UserId;
      readonly from: string;
      readonly bindings: readonly { readonly role: Role; readonly account: string }[];
      /** Another source, in whose place this one steps: what it gave goes, or is given by this one. */
      readonly over?: string;
    }
  /** The same commit writes the client secret to the private table, sealed. */
  | { readonly kind: "provider.set"; readonly name: string; readonly terms: ProviderAsked }
  | { readonly kind: "provider.remove"; readonly name: string }
  | {
      readonly kind: "scim.open";
      readonly provider: string;
      readonly id: TokenId;
      readonly prefix: string;
      readonly hash: string;
    }
  | { readonly kind: "scim.close"; readonly provider: string; readonly token: TokenId }
  | {
      readonly kind: "token.create";
      readonly id: TokenId;
      readonly user: UserId;
      readonly prefix: string;
      readonly hash: string;
      readonly label: string;
      readonly scopes: readonly string[];
      readonly expiresAt: Instant;
      readonly parent?: TokenId;
      readonly signIn?: SignInFacts;
      /** Path of the account that it is limited to. */
      readonly account?: string;
      readonly networks?: readonly string[];
    }
  | { readonly kind: "token.revoke"; readonly token: TokenId }
  /** Told once, days before. Sent by the shell, not by people. */
  | { readonly kind: "token.expiring"; readonly token: TokenId }
  | { readonly kind: "exchange.set"; readonly name: string; readonly terms: ExchangeAsked }
  | { readonly kind: "exchange.remove"; readonly name: string }
  /** The same commit writes or removes the private row of the factor; the journal records only that it changed. */
  | { readonly kind: "factor.set"; readonly user: UserId; readonly factor: string; readonly what: FactorKind }
  | { readonly kind: "factor.remove"; readonly user: UserId; readonly factor: string }
  /** The same commit writes the value to the private table, encrypted; the journal records only that it changed. */
  | { readonly kind: "secret.set"; readonly account: string; readonly name: string }
  | { readonly kind: "secret.delete"; readonly account: string; readonly name: string }
  | {
      readonly kind: "volume.create";
      readonly account: string;
      readonly name: string;
      readonly path: string;
      readonly readOnly: boolean;
    }
  | { readonly kind: "volume.delete"; readonly account: string; readonly name: string }
  | {
      readonly kind: "volume.grant";
      readonly account: string;
      readonly name: string;
      /** Absent = none any more: the account and those below may mount it. */
      readonly grants?: readonly AskedGrant[];
    }
  | { readonly kind: "policy.set"; readonly policy: Policy }
  | HealthCommand
  | MoneyCommand
  | TrailCommand
  /** What the audit keeps although nothing changed: refusals, failed sign-ins, reads. Sent by the shell in batches. */
  | { readonly kind: "audit.note"; readonly notes: readonly AuditNote[] }
  /** The first input after a restore: from then on engines refuse orders of a lower epoch. */
  | { readonly kind: "epoch.begin"; readonly reason: string };

/** An engine's inventory: adds new nodes, refreshes the others. Sent by the shell, not by people. */
export interface RegisterNodes {
  readonly kind: "node.register";
  /** All nodes of the engine; absent = of each engine that the nodes name. */
  readonly engine?: string;
  readonly nodes: readonly NodeFacts[];
}

export interface SubmitJob {
  readonly kind: "job.submit";
  readonly id: JobId;
  readonly account: string;
  readonly user: UserId;
  readonly spec: JobSpec;
  /** The outcomes of the jobs of `spec.after` that had ended when the shell looked them up. */
  readonly endedBefore: readonly { readonly job: JobId; readonly outcome: JobOutcome }[];
}

/** Something that happened once or `count` times. Names and addresses are in the private row `origin`, which can be erased. */
export interface AuditNote {
  /** What was tried: an action such as `job.logs`, or `session.fail`. */
  readonly action: string;
  readonly user?: UserId | "system";
  readonly token?: TokenId;
  readonly origin?: string;
  /** The request id that the caller was told; of several the first. */
  readonly request: string;
  /** Account path; empty for the platform. */
  readonly account: string;
  readonly target: string;
  readonly outcome: AuditOutcome;
  readonly detail: string;
  readonly count: number;
}

export type AuditOutcome = "refused" | "failed" | "read" | "exported" | "changed";

/** A grant as it is asked for: with the paths of accounts. */
export interface AskedGrant extends Omit<DataGrant, "accounts"> {
  readonly accounts?: readonly string[];
}

/** The user and token behind a command; the input is itself the audit record. */
export interface Actor {
  readonly user: UserId | "system";
  readonly token?: TokenId;
  /** The private row that holds the address the request came from. */
  readonly origin?: string;
}

export interface CommandInput {
  readonly kind: "command";
  readonly v: 1;
  readonly op: OperationId;
  readonly actor: Actor;
  /** The request id that was returned to the caller. */
  readonly request: string;
  readonly command: Command;
  /** What was different before, for the audit: the fields that the command changes, with both values. */
  readonly change?: string;
  /** A repeated create with the same key and body gets the answer of the first. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string };
  /** The private rows that the same commit writes: the journal covers them by their digests. */
  readonly privates?: readonly PrivateNote[];
}

/** Advances the time, so that due timers take effect. */
export interface TickInput {
  readonly kind: "tick";
  readonly v: 1;
}

/** The terms of an exchange, with the account named by path. */
export interface ExchangeAsked extends Omit<ExchangeTerms, "account"> {
  readonly account: string;
}

/** The terms of a provider, with accounts named by path. */
export interface ProviderAsked extends Omit<ProviderTerms, "rules"> {
  readonly rules: readonly (Omit<GroupRule, "account"> & { readonly account: string })[];
}
