/**
 * Two kinds of names. Outside, ids are random with a prefix and are made by the shell; they reveal nothing. Inside,
 * the core counts: dense numbers index arrays and never leave the control plane, because a number would reveal to a
 * tenant how much the others do.
 */
declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

export type JobId = Branded<string, "JobId">;
export type LeaseId = Branded<string, "LeaseId">;
export type AccountId = Branded<string, "AccountId">;
export type UserId = Branded<string, "UserId">;
export type TokenId = Branded<string, "TokenId">;
/** Names one commit attempt of one request; after a crash it finds a commit whose outcome is unknown. */
export type OperationId = Branded<string, "OperationId">;

export type JobNo = Branded<number, "JobNo">;
export type AccountNo = Branded<number, "AccountNo">;
export type NodeNo = Branded<number, "NodeNo">;
/** A GPU, numbered over the whole fleet. */
export type GpuNo = Branded<number, "GpuNo">;

export const idPrefix = { job: "job_", account: "acc_", user: "usr_", token: "tok_", operation: "op_" } as const;

/** The root of the account tree: the platform itself. It pays for nothing and holds every tenant. */
export const rootAccount = 0 as AccountNo;
/** No account: the cover of a burst job. */
export const noAccount = -1 as AccountNo;

/**
 * A lease is named after its job, attempt and member (rank), so that an engine recognises a repeated order for the same
 * lease.
 */
export function leaseIdOf(job: JobId, attempt: number, rank: number): LeaseId {
  const ending = attempt === 1 && rank < firstEndings.length ? firstEndings[rank]! : endingOf(attempt, rank);
  return (job + ending) as LeaseId;
}

function endingOf(attempt: number, rank: number): string {
  return `-${attempt}-${rank}`;
}

/** Precomputed for the first attempt, to which most leases belong. */
const firstEndings: readonly string[] = Array.from({ length: 64 }, (_, rank) => endingOf(1, rank));

/** The inverse of `leaseIdOf`; undefined for text that is no lease id. */
export function parseLeaseId(id: string): { job: JobId; attempt: number; rank: number } | undefined {
  const match = /^(job_[a-z0-9]+(?:\.\d+)?)-(\d{1,9})-(\d{1,9})$/.exec(id);
  if (match === null) return undefined;
  return { job: match[1] as JobId, attempt: Number(match[2]), rank: Number(match[3]) };
}
