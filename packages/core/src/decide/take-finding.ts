import { findingName, meaningOf } from "../health/catalogue.ts";
import type { CatalogueEntry } from "../health/xids.ts";
import type { Event } from "../journal/event.ts";
import type { FindingNoted } from "../journal/health-event.ts";
import { type HealthAction, type HealthFinding, healthActions } from "../model/health.ts";
import type { GpuNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { nodeKey } from "../model/node-key.ts";
import { day, type Instant } from "../model/units.ts";
import { nodeChanged } from "../run/nodes.ts";
import { stopJob } from "../run/stop.ts";
import { flapWindowMs } from "../state/apply/health.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { openRepair, quarantineReason } from "../state/repairs.ts";
import type { State } from "../state/state.ts";

/** The third fault within the window keeps a node out until its owner closes the repair [H6]. */
const faultsToFlap = 3;
/** Programs of so many tenants that fail on one GPU within a day make the GPU suspicious [H2]. */
const tenantsToSuspect = 3;
const textCharsMax = 500;

/** The events that follow from a finding, by the catalogue. */
export function takeFinding(
  state: State,
  node: FleetNode,
  finding: HealthFinding,
  count: number | undefined,
  now: Instant,
): Event[] {
  const text = finding.text.slice(0, textCharsMax);
  const entry = meaningOf(finding);
  const jobs = jobsAt(state, node, finding.gpuUuid);
  const blamed = blameOf(state, finding, entry, jobs);
  const action = escalated(state, node, { ...finding, count: count ?? 1 }, entry, blamed, now);
  const noted: FindingNoted = {
    ...{ kind: "finding-noted", v: 1, at: now, node: node.no },
    ...(finding.gpuUuid !== undefined && { gpuUuid: finding.gpuUuid }),
    ...{ source: finding.source, code: finding.code, text, seenAt: Math.min(finding.at, now) },
    ...(count !== undefined && count > 1 && { count }),
    action,
    ...(blamed && { blamed }),
  };
  if (!isOut(action)) return [noted];
  const suspect = action === entry.action ? entry : suspectOf(entry, action);
  const why = `${findingName(finding)}: ${suspect.means}`;
  const repair = repairFor(state, node, finding, suspect, why, text, now);
  const leaving = leavingJobs(state, node, finding, suspect, jobs).flatMap((job) =>
    stopJob(state, job, "unhealthy", now, undefined, `its node had a fault: ${why}`),
  );
  return [noted, ...repair, ...outOfUse(node, why, now), ...leaving];
}

function isOut(action: HealthAction): boolean {
  return healthActions.indexOf(action) >= healthActions.indexOf("drain");
}

/** Jobs that hold the GPU; of the whole node where no GPU is named, or it is not one of the node's. */
function jobsAt(state: ReadonlyState, node: FleetNode, gpuUuid: string | undefined): Job[] {
  const index = node.facts.gpus.findIndex(({ uuid }) => uuid === gpuUuid);
  const gpu = index < 0 ? undefined : ((node.firstGpu + index) as GpuNo);
  const jobs = new Set<Job>();
  for (const lease of state.leases.values()) {
    if (lease.node !== node.no || (gpu !== undefined && !lease.gpus.includes(gpu))) continue;
    jobs.add(jobOf(state, lease.job));
  }
  return [...jobs].sort((a, b) => a.no - b.no);
}

/** The job whose program met a fault of its own: the one that is named, or the only one on the GPU [H2]. */
function blameOf(
  state: ReadonlyState,
  finding: HealthFinding,
  entry: CatalogueEntry,
  jobs: readonly Job[],
): FindingNoted["blamed"] {
  if (entry.origin !== "application" && entry.action !== "restart-job") return undefined;
  const named = finding.lease === undefined ? undefined : state.leases.get(finding.lease);
  const [only, ...others] = jobs;
  const job = named === undefined ? (others.length === 0 ? only : undefined) : jobOf(state, named.job);
  // What is removed when a program is stopped says nothing of it.
  if (job === undefined || job.state === "stopping") return undefined;
  const fault = `${findingName(finding)}: ${entry.means}`;
  return { job: job.no, tenant: state.accounts[job.account]!.tenant, fault };
}

/** The action of the catalogue, or a stronger one where the GPU has failed several tenants or the same came too often. */
function escalated(
  state: ReadonlyState,
  node: FleetNode,
  finding: HealthFinding & { readonly count: number },
  entry: CatalogueEntry,
  blamed: FindingNoted["blamed"],
  now: Instant,
): HealthAction {
  const { gpuUuid } = finding;
  if (entry.action !== "restart-job" || gpuUuid === undefined) return entry.action;
  const recent = (state.health.get(nodeKey(node.facts))?.blames ?? []).filter(
    (each) => each.gpuUuid === gpuUuid && each.at > now - day,
  );
  const { repeated } = entry;
  if (repeated !== undefined && recent.filter(({ code }) => code === finding.code).length + 1 >= repeated.times)
    return repeated.action;
  const tenants = new Set(recent.map(({ tenant }) => tenant));
  if (blamed !== undefined) tenants.add(blamed.tenant);
  return tenants.size >= tenantsToSuspect ? "drain" : entry.action;
}

function suspectOf(entry: CatalogueEntry, action: HealthAction): CatalogueEntry {
  return {
    action,
    origin: "hardware",
    means: `${entry.means}, again and again on this GPU`,
    step:
      action === "reset" ? "reset the GPU; run the checks" : "run the checks: it failed programs of several tenants",
  };
}

/** Opens a repair, or adds to the one that is open; a harder finding makes it a harder one. */
function repairFor(
  state: State,
  node: FleetNode,
  finding: HealthFinding,
  { action, step = "inspect the machine" }: CatalogueEntry,
  why: string,
  text: string,
  now: Instant,
): Event[] {
  const seenAt = Math.min(finding.at, now);
  const open = openRepair(state, node.facts);
  const repair = open?.no ?? state.nextRepair;
  const evidence = `${findingName(finding)}: ${text}`;
  const harder = open !== undefined && healthActions.indexOf(action) > healthActions.indexOf(open.action);
  const noted: Event = {
    ...{ kind: "repair-noted", v: 1, at: now, repair, seenAt, text: evidence },
    ...(harder && { action, step }),
  };
  if (open !== undefined) return [noted];
  const faults = state.health.get(nodeKey(node.facts))?.faultsAt.filter((at) => at > now - flapWindowMs) ?? [];
  const opened: Event = {
    ...{ kind: "repair-opened", v: 1, at: now, repair, node: node.no, action, cause: findingName(finding), why, step },
    ...(finding.gpuUuid !== undefined && { gpuUuid: finding.gpuUuid }),
    ...(faults.length + 1 >= faultsToFlap && { flapping: true }),
  };
  return [opened, noted];
}

/** The node takes nothing new. One that its owner took out of use stays as the owner wants it. */
function outOfUse(node: FleetNode, why: string, now: Instant): Event[] {
  if (node.own.mode !== "up" && node.own.mode !== "cordoned") return [];
  return [nodeChanged(node, node.leases === 0 ? "maintenance" : "draining", quarantineReason(why), now)];
}

/** The jobs that must leave now, with their grace [H3]; the others on the node end by themselves. */
function leavingJobs(
  state: ReadonlyState,
  node: FleetNode,
  finding: HealthFinding,
  { action, contained }: CatalogueEntry,
  jobs: readonly Job[],
): readonly Job[] {
  if (action === "drain") return [];
  if (action !== "reset") return jobsAt(state, node, undefined);
  const named = finding.lease === undefined ? undefined : state.leases.get(finding.lease);
  return contained && named !== undefined ? [jobOf(state, named.job)] : jobs;
}
