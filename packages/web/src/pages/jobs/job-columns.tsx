import type { Job } from "@tessera/wire";
import { ReasonChip, StateChip } from "../../design/chip.tsx";
import { Span, Time } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { spellGpus, spellNumber } from "../../format/numbers.ts";
import type { Column } from "../../table/column.ts";

export const nameColumn: Column<Job> = {
  label: "Job",
  sort: "name",
  width: [160, 2],
  show: (job) => (
    <>
      <strong>{job.name}</strong>
      {job.elements !== undefined && <span className="quiet"> × {spellNumber(job.elements.size)}</span>}
    </>
  ),
};
export const projectColumn: Column<Job> = {
  label: "Account",
  sort: "project",
  width: [110, 1.3],
  below: true,
  show: ({ project }) => project,
};
export const userColumn: Column<Job> = {
  label: "User",
  sort: "user",
  width: [80, 1],
  below: true,
  show: ({ userName, user }) => userName ?? user,
};
export const stateColumn: Column<Job> = {
  label: "State",
  sort: "state",
  width: [164, 1],
  show: (job) => <StateChip job={job} />,
};
export const reasonColumn: Column<Job> = {
  label: "Waiting reason",
  sort: "reason",
  width: [150, 1.2],
  show: (job) => <ReasonChip reason={job.reason} />,
};
export const gpusColumn: Column<Job> = {
  label: "GPUs",
  sort: "gpus",
  width: 90,
  below: true,
  // By what each element of an array asks for, as the list is ordered.
  show: ({ gpus, gpuModel, elements }) =>
    `${gpuModel === "*" ? spellGpus(gpus) : `${spellNumber(gpus)} ${gpuModel}`}${elements === undefined ? "" : " each"}`,
};
export const sinceColumn: Column<Job> = {
  label: "Since",
  sort: "since",
  width: 110,
  below: true,
  show: ({ endedAt, startedAt, submittedAt }) => <Time at={endedAt ?? startedAt ?? submittedAt} />,
};
export const priorityColumn: Column<Job> = {
  label: "Priority",
  sort: "priority",
  width: 70,
  number: true,
  below: true,
  usual: false,
  show: ({ priority }) => priority,
};
export const submittedColumn: Column<Job> = {
  label: "Submitted",
  sort: "submitted",
  width: 110,
  below: true,
  usual: false,
  show: ({ submittedAt }) => <Time at={submittedAt} />,
};
export const startedColumn: Column<Job> = {
  label: "Started",
  sort: "started",
  width: 110,
  below: true,
  usual: false,
  show: ({ startedAt }) => startedAt !== undefined && <Time at={startedAt} />,
};
export const waitedColumn: Column<Job> = {
  label: "Waited",
  sort: "waited",
  width: 80,
  number: true,
  below: true,
  usual: false,
  show: ({ submittedAt, startedAt, endedAt }) => <Span from={submittedAt} to={startedAt ?? endedAt} />,
};
export const ranColumn: Column<Job> = {
  label: "Ran",
  sort: "ran",
  width: 80,
  number: true,
  below: true,
  usual: false,
  show: ({ startedAt, endedAt }) => startedAt !== undefined && <Span from={startedAt} to={endedAt} />,
};
export const costColumn: Column<Job> = {
  label: "Cost",
  width: 110,
  number: true,
  below: true,
  usual: false,
  show: ({ cost }) => (cost === undefined ? "" : spellMoney(cost.micros, cost.currency)),
};
export const labelsColumn: Column<Job> = {
  label: "Labels",
  width: [120, 1.3],
  below: true,
  usual: false,
  show: ({ labels = {} }) =>
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(", "),
};
export const idColumn: Column<Job> = {
  label: "Id",
  width: 190,
  below: true,
  usual: false,
  show: ({ id }) => <code>{id}</code>,
};

/** How long a job has waited, or waited until it started or ended. */
export function waitedMs({ submittedAt, startedAt, endedAt }: Job): number {
  const until = startedAt ?? endedAt;
  return (until === undefined ? Date.now() : Date.parse(until)) - Date.parse(submittedAt);
}

/** How long a job has run, or ran. */
export function ranMs({ startedAt, endedAt }: Job): number {
  if (startedAt === undefined) return 0;
  return (endedAt === undefined ? Date.now() : Date.parse(endedAt)) - Date.parse(startedAt);
}
