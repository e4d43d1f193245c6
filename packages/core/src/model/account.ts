import type { Egress } from "./egress.ts";
import type { IdleTerms } from "./idle.ts";
import { type AccountId, type AccountNo, noAccount } from "./ids.ts";
import type { SizeCounts } from "./size.ts";
import type { Instant } from "./units.ts";

/** An amount per GPU model, in units; `*` stands for any model. */
export type GpuAmounts = { readonly [model: string]: number };

/** What an account is promised, may reach, and lends. Absent means: nothing guaranteed, no ceiling, lends all. */
export interface Quota {
  readonly guarantee: GpuAmounts;
  readonly max?: GpuAmounts;
  readonly lendable?: GpuAmounts;
  /** The quota as the owner gave it, where that was in sizes; the amounts above are their sums. */
  readonly guaranteeSizes?: SizeCounts;
  readonly maxSizes?: SizeCounts;
  readonly guaranteeCpusMilli?: number;
  readonly guaranteeMemoryMiB?: number;
  readonly maxCpusMilli?: number;
  readonly maxMemoryMiB?: number;
  /** Weight in the division of the surplus. 0 = only what no other account wants. */
  readonly weight: number;
}

/** How far a tenant may share hardware with another, least first. */
export const trusts = ["confidential", "untrusted", "trusted"] as const;
export type Trust = (typeof trusts)[number];

/** Which of the waiting jobs of one account goes first, at equal priority [O3]. */
export const accountOrders = ["age", "aged-shortest", "attained-service"] as const;
export type AccountOrder = (typeof accountOrders)[number];

/** The order of a queue: `index` is `attained-service` where that may evict. */
export type QueueOrder = AccountOrder | "index";

/** Ceilings on single jobs and single users below an account. */
export interface Limits {
  readonly gpusPerJobMax?: number;
  readonly runMsMax?: number;
  /** The limit of a job that declares none. */
  readonly runMsDefault?: number;
  readonly waitingJobsPerUserMax?: number;
  readonly gpusPerUserMax?: number;
  /** Of a tenant as a whole, instead of the numbers of the policy. */
  readonly waitingJobsMax?: number;
  readonly jobFilesMiBMax?: number;
  readonly cpuMembersMax?: number;
  /** What the folders of one member may hold, and what the checkpoint of one job may hold. */
  readonly scratchMiBMax?: number;
  readonly checkpointMiBMax?: number;
  /** What the kept outputs of all jobs at and below the account may hold, and how long they are kept. */
  readonly outputsMiBMax?: number;
  readonly outputsKeptMs?: number;
  /** The most that jobs may reach beyond their gangs, and what those may that do not say. */
  readonly egress?: Egress;
  /** GPU time that may be begun in each window of `everyMs`, counted from the epoch. */
  readonly gpuTime?: { readonly unitMsMax: number; readonly everyMs: number };
}

/** Models, job types and images that jobs below an account may use. Absent means all. Images are prefixes. */
export interface Allowed {
  readonly models?: readonly string[];
  readonly types?: readonly string[];
  readonly images?: readonly string[];
}

export interface AccountTerms {
  readonly quota: Quota;
  readonly limits: Limits;
  readonly allowed: Allowed;
  readonly trust: Trust;
  /** Tenants of one group may share a GPU by MPS or time-slicing. */
  readonly trustGroup?: string;
  /** Tenants with which it may share a GPU by MIG although one of the two is untrusted; both must list each other. */
  readonly allowMigWith?: readonly string[];
  /** The owner allows the guarantees below this account to exceed its own guarantee, or the fleet. */
  readonly overcommit: boolean;
  /** Past borrowing of the accounts below counts in their shares, halved after this time [O2]; absent = it does not. */
  readonly historyHalfLifeMs?: number;
  /** The order of its own waiting jobs; absent means by age. */
  readonly order?: AccountOrder;
  /**
   * Under `attained-service`: a waiting job may evict a running job that the order puts behind it; checked at this
   * interval even if nothing else happens. Absent means that no job is evicted for the order.
   */
  readonly quantumMs?: number;
  /** What becomes of jobs below whose GPUs are idle; the nearest account with a rule counts [L4]. */
  readonly idle?: IdleTerms;
  /** Everyone with a role at this account or below needs a second factor; absent = the policy decides. */
  readonly factor?: true;
}

/** A quota for a limited time [U4]; the fields that are present replace the account's own. */
export interface QuotaWindow {
  readonly from: Instant;
  readonly to: Instant;
  /** The time zone in which the times were given; for display only. */
  readonly zone?: string;
  /** null removes a ceiling. */
  readonly quota: { readonly [Field in keyof Quota]?: Quota[Field] | null };
  /** `refused`: at its start it would have broken the nesting of guarantees, so it has no effect. */
  readonly state: "planned" | "active" | "refused";
  readonly refused?: string;
}

/** A node of the account tree. */
export interface Account {
  readonly no: AccountNo;
  readonly id: AccountId;
  /** `lab/vision/detect`; the root has the empty path. */
  readonly path: string;
  readonly parent: AccountNo;
  /** The top-level account above (or at) this one; the root is its own tenant. */
  readonly tenant: AccountNo;
  /** A path can be reused after a deletion; older records under the same path belong to another account. */
  readonly createdAt: Instant;
  terms: AccountTerms;
  /** The terms without windows; absent if the account has no windows. */
  base?: AccountTerms | undefined;
  windows?: readonly QuotaWindow[] | undefined;
  /** Incremented by each edit; `If-Match` compares it. */
  revision: number;
  children: AccountNo[];
  /** Direct jobs that have not ended; an account with any cannot be deleted. */
  liveJobs: number;
}

export const plainTerms: AccountTerms = {
  quota: { guarantee: {}, weight: 1 },
  limits: {},
  allowed: {},
  trust: "trusted",
  overcommit: false,
};

/** The account and every account above it, lowest first; the root comes last. */
export function* ancestors(accounts: readonly (Account | undefined)[], from: AccountNo): Generator<Account, void> {
  for (let at = from; at !== noAccount; ) {
    const account = accounts[at];
    if (account === undefined) throw new Error(`there is no account ${at}`);
    yield account;
    at = account.parent;
  }
}
