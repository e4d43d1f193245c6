import type { Job, JobArray, JobId, Rooms, UserId } from "@tessera/core";
import type { Job as WireJob } from "@tessera/wire";
import { costOfJob, renderJobCost } from "../../flow/bill/job-cost.ts";
import { standingAccount } from "../../flow/find/find-job.ts";
import { renderArray, renderJob } from "../../render/job.ts";
import type { EndedJobRow } from "../../store/port.ts";
import type { Api } from "../context.ts";
import type { Acts } from "../guard/acts.ts";

export function showLive(api: Api, acts: Acts, job: Job | JobArray, rooms?: Rooms): WireJob {
  const { state } = api.control;
  const shown = "size" in job ? renderArray(state, job) : renderJob(state, job, api.control.now(), rooms);
  return withName(api, shown, acts.onJob(job.account, job.user));
}

export function showEnded(api: Api, acts: Acts, row: EndedJobRow): WireJob {
  const { no } = standingAccount(api.control.state, row.account, row.submittedAt);
  return withName(api, JSON.parse(row.doc) as WireJob, acts.onJob(no, row.user));
}

/** A job with what it has cost, where there are prices; an array has no leases of its own. */
export async function withCost({ control }: Api, job: WireJob): Promise<WireJob> {
  if (job.elements !== undefined) return job;
  const { state, reader } = control;
  const live = state.jobById.get(job.id as JobId);
  const about = { id: job.id, account: job.project, ...(live !== undefined && { live }) };
  const cost = await costOfJob(reader, state, about, control.now());
  return cost === undefined ? job : { ...job, cost: renderJobCost(state, cost) };
}

/** A job with the energy that its GPUs took; what no sample tells of is absent. */
export async function withEnergy({ telemetry, control }: Api, job: WireJob): Promise<WireJob> {
  if (telemetry === undefined || job.startedAt === undefined || job.elements !== undefined) return job;
  const from = Date.parse(job.submittedAt);
  const to = job.endedAt === undefined ? control.now() : Date.parse(job.endedAt);
  const filter = { job: job.id as JobId };
  // The job is shown without it where the samples cannot be read now.
  const rows = await telemetry.busy({ from, to, by: "job", filter }).catch(() => []);
  const measured = rows.filter(({ energyMillijoules }) => energyMillijoules !== undefined);
  if (measured.length === 0) return job;
  const millijoules = measured.reduce((sum, row) => sum + row.energyMillijoules!, 0);
  const simulated = measured.some((row) => row.simulated === true);
  return { ...job, energy: { joules: Math.round(millijoules / 1_000), ...(simulated && { simulated }) } };
}

/** How many elements that did not succeed are named. */
const failedNamed = 100;

/** An array with the elements that did not succeed; what is stored holds their number alone. */
export async function withFailed({ control: { reader } }: Api, job: WireJob): Promise<WireJob> {
  if (job.elements === undefined || job.elements.failed === 0) return job;
  const rows = await reader.jobs({
    accounts: [],
    arrayId: job.id,
    outcome: { not: ["succeeded"] },
    limit: failedNamed,
  });
  const failedIndexes = rows.map(({ id }) => Number(id.slice(id.lastIndexOf(".") + 1))).sort((a, b) => a - b);
  return { ...job, elements: { ...job.elements, failedIndexes } };
}

/** The name of the user, and what the reader may do, are added when it is shown; what is stored holds the id alone. */
export function withName(api: Api, job: WireJob, may?: WireJob["may"]): WireJob {
  const name = api.people.nameOf(job.user as UserId);
  return { ...job, ...(name !== "" && { userName: name }), ...(may !== undefined && { may }) };
}
