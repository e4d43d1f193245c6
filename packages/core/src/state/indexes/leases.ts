import type { ByNumber } from "../../collections/by-number.ts";
import type { JobsById } from "../../collections/jobs-by-id.ts";
import type { JobId, JobNo, LeaseId } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";

/** All leases by id. An id names the job and the rank of the member, so the lease is found in its job: no map is kept. */
export class Leases {
  readonly #jobs: Pick<ByNumber<JobNo, Job>, "values">;
  readonly #jobById: Pick<JobsById, "get">;
  #size = 0;

  constructor(jobs: Pick<ByNumber<JobNo, Job>, "values">, jobById: Pick<JobsById, "get">) {
    this.#jobs = jobs;
    this.#jobById = jobById;
  }

  get size(): number {
    return this.#size;
  }

  /** Counts leases in (above 0) or out. */
  count(more: number): void {
    this.#size += more;
    if (this.#size < 0) throw new Error("more leases have ended than began");
  }

  get(id: LeaseId): Lease | undefined {
    const rankFrom = id.lastIndexOf("-");
    const attemptFrom = id.lastIndexOf("-", rankFrom - 1);
    const leases = this.#jobById.get(id.slice(0, Math.max(0, attemptFrom)) as JobId)?.leases;
    if (leases === undefined) return undefined;
    const found = withRank(leases, Number(id.slice(rankFrom + 1)));
    return found?.id === id ? found : undefined;
  }

  has(id: LeaseId): boolean {
    return this.get(id) !== undefined;
  }

  *values(): Generator<Lease> {
    for (const { leases } of this.#jobs.values()) yield* leases;
  }

  *keys(): Generator<LeaseId> {
    for (const { id } of this.values()) yield id;
  }
}

/** The leases of a job are sorted by rank, also after members have left and joined. */
function withRank(leases: readonly Lease[], rank: number): Lease | undefined {
  let low = 0;
  let high = leases.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (leases[middle]!.rank < rank) low = middle + 1;
    else high = middle;
  }
  return leases[low];
}
