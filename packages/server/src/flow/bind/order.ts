import { createHash } from "node:crypto";
import {
  accountOf,
  type Code,
  type Job,
  type Lease,
  narrowestEgress,
  pathUp,
  type ReadonlyState,
  stopOrderOf,
  tenantOf,
  unitsPerGpu,
} from "@tessera/core";
import type { CodeOrder, LeaseOrder, NetworkOrder, TenantTerms } from "@tessera/engine";
import { limitsOf } from "./limits.ts";

const pagePorts = { first: 12_000, count: 8_000 };

/** Everything an engine needs to run one member, but its secrets. */
export function orderOf(state: ReadonlyState, job: Job, lease: Lease): Omit<LeaseOrder, "secrets"> {
  const { spec } = job;
  const seats = job.seats.map((seat) => state.fleet.nodes[seat.node]!);
  const { scrub = [], reshape = [] } = lease.handover ?? {};
  const uuids = (gpus: readonly number[]) => gpus.map((gpu) => state.fleet.gpuUuid[gpu]!);
  const array = job.array === undefined ? undefined : state.arrays.get(job.array);
  return {
    lease: lease.id,
    job: job.id,
    jobName: spec.name,
    type: spec.type,
    attempt: lease.attempt,
    rank: lease.rank,
    size: seats.length,
    node: seats[lease.rank]!.facts.name,
    gpuUuids: uuids(lease.gpus),
    ...(lease.part !== undefined && { part: lease.part }),
    ...(scrub.length > 0 && { scrub: { gpuUuids: uuids(scrub), usualMs: state.policy.scrubMs ?? 0 } }),
    ...(reshape.length > 0 && {
      reshape: { gpuUuids: uuids(reshape), to: lease.part?.mode ?? "whole", usualMs: state.policy.reshapeMs ?? 0 },
    }),
    gangNodes: seats.map((node) => node.facts.name),
    masterAddress: seats[0]!.facts.address,
    network: networkOf(state, job),
    pagePort: pagePortOf(job, lease),
    tenant: tenantOf(state, job.account).id,
    tenantTerms: tenantTermsOf(state, job),
    account: accountOf(state, job.account).path,
    arrayIndex: job.index,
    arrayId: array?.id,
    image: spec.image,
    workdir: spec.workdir,
    ...(spec.inPlace && { inPlace: true }),
    ...(spec.code !== undefined && { code: codeOf(spec.code) }),
    ...(spec.venv !== undefined && { venv: spec.venv }),
    setup: spec.setup,
    run: spec.run,
    ...(spec.checkpoint !== undefined && { checkpoint: true }),
    env: spec.env,
    limits: limitsOf(state, job, lease),
    strict: spec.strict,
    stop: stopOrderOf(job, "time-limit", state.policy),
    epoch: state.epoch,
  };
}

/** What holds for the whole tenant of a job. Ceilings of single models leave its other GPUs unlimited. */
function tenantTermsOf(state: ReadonlyState, { account }: Job): TenantTerms {
  const { trust, trustGroup, quota, allowed } = tenantOf(state, account).terms;
  const total = quota.max?.["*"];
  return {
    trust,
    ...(trust === "trusted" && trustGroup !== undefined && { trustGroup }),
    ...(total !== undefined && { gpusMax: Math.ceil(total / unitsPerGpu) }),
    ...(allowed.images !== undefined && { images: allowed.images }),
  };
}

/** What the job asks for, within what its accounts allow now. */
function networkOf(state: ReadonlyState, { spec, account }: Job): NetworkOrder {
  const most = pathUp(state, account).map(({ terms }) => terms.limits.egress);
  return narrowestEgress([spec.egress, ...most].filter((egress) => egress !== undefined));
}

function codeOf(code: Code): CodeOrder {
  if ("tree" in code) return { tree: code.tree };
  return { git: { url: code.git, ...(code.ref !== undefined && { ref: code.ref }) } };
}

/**
 * Where a member should serve a page. Jobs side by side on one machine should not meet on one port, and the number must
 * not tell how many jobs others have.
 */
export function pagePortOf({ id }: Pick<Job, "id">, { attempt, rank }: Pick<Lease, "attempt" | "rank">): number {
  const drawn = createHash("sha256").update(`${id}-${attempt}`).digest().readUInt32BE(0);
  return pagePorts.first + ((drawn + rank) % pagePorts.count);
}
