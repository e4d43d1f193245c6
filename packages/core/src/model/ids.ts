/**
 * Two kinds of names. Outside, ids are random with a prefix and are made by the shell; they reveal nothing. Inside,
 * the core counts: dense numbers index arrays and never leave the control plane (a number would tell a tenant how
 * much the others do).
 */
declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

export type JobId = Branded<string, "JobId">;
export type LeaseId = Branded<string, "LeaseId">;
export type AccountId = Branded<string, "AccountId">;
export type UserId = Branded<string, "UserId">;
export type TokenId = Branded<string, "TokenId">;
/** Names one commit attempt of one request; how an unknown commit is looked up after a crash. */
export type OperationId = Branded<string, "OperationId">;

export type JobNo = Branded<number, "JobNo">;
export type AccountNo = Branded<number, "AccountNo">;
export type NodeNo = Branded<number, "NodeNo">;
/** A device, counted over the whole fleet. */
export type GpuNo = Branded<number, "GpuNo">;

export const idPrefix = { job: "job_", account: "acc_", user: "usr_", token: "tok_", operation: "op_" } as const;

/** The root of the account tree: the platform itself. It pays for nothing and holds every tenant. */
export const rootAccount = 0 as AccountNo;
/** "No account": the cover of a burst job. */
export const noAccount = -1 as AccountNo;

/**
 * A lease is named after what it is, so that asking an engine twice for the same lease can be recognised as the same
 * request: one member (rank) of one attempt of one job.
 */
export function leaseIdOf(job: JobId, attempt: number, rank: number): LeaseId {
  const ending = attempt === 1 && rank < firstEndings.length ? firstEndings[rank]! : endingOf(attempt, rank);
  return (job + ending) as LeaseId;
}

function endingOf(attempt: number, rank: number): string {
  return `-${attempt}-${rank}`;
}

/** Of the first attempt, which most leases are of. */
const firstEndings: readonly string[] = Array.from({ length: 64 }, (_, rank) => endingOf(1, rank));

/** The inverse of `leaseIdOf`; undefined for a name that no lease of ours can have. */
export function parseLeaseId(id: string): { job: JobId; attempt: number; rank: number } | undefined {
  const match = /^(job_[a-z0-9]+(?:\.\d+)?)-(\d{1,9})-(\d{1,9})$/.exec(id);
  if (match === null) return undefined;
  return { job: match[1] as JobId, attempt: Number(match[2]), rank: Number(match[3]) };
}
