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
  /** As they were given, where that was in sizes; the amounts above hold what these come to. */
  readonly guaranteeSizes?: SizeCounts;
  readonly maxSizes?: SizeCounts;
  readonly guaranteeCpusMilli?: number;
  readonly guaranteeMemoryMiB?: number;
  readonly maxCpusMilli?: number;
  readonly maxMemoryMiB?: number;
  /** Share of the surplus. 0 = only what nobody else wants. */
  readonly weight: number;
}

/** How far a tenant may share hardware with another. */
export type Trust = "confidential" | "untrusted" | "trusted";

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
  /** GPU time that may be begun in each window of `everyMs`, counted from the epoch. */
  readonly gpuTime?: { readonly unitMsMax: number; readonly everyMs: number };
}

/** What may be asked for at all below an account. Absent means everything. Images are prefixes. */
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
  /** Tenants beside which it may have a part of a GPU cut by MIG though not both are trusted, if they say the same. */
  readonly allowMigWith?: readonly string[];
  /** The owner has said that the guarantees below this account may exceed what is there. */
  readonly overcommit: boolean;
  /** What those below borrowed earlier counts in their shares, half as much after this time; absent means not at all. */
  readonly historyHalfLifeMs?: number;
  /** Of its own waiting jobs; absent means by age. */
  readonly order?: AccountOrder;
  /**
   * Under `attained-service`: a waiting job may take the room of one that its order puts behind it, and that is looked at
   * this often even if nothing happens. Absent means that nobody is evicted for the order.
   */
  readonly quantumMs?: number;
}

/** Another quota from one instant to another; the fields that are given count instead of the account's own. */
export interface QuotaWindow {
  readonly from: Instant;
  readonly to: Instant;
  /** The zone in which the times were given; only ever shown. */
  readonly zone?: string;
  /** null takes a ceiling away. */
  readonly quota: { readonly [Field in keyof Quota]?: Quota[Field] | null };
  /** `refused`: when it began it would have promised more than there was. */
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
  /** The top-level account above (or at) this one; the root is its own. */
  readonly tenant: AccountNo;
  /** A path can be used again; what was recorded under it before is not this account's. */
  readonly createdAt: Instant;
  terms: AccountTerms;
  /** The terms without windows; absent where there are none. */
  base?: AccountTerms | undefined;
  windows?: readonly QuotaWindow[] | undefined;
  /** Grows with each edit; what `If-Match` compares. */
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
