import type { Job } from "@tessera/wire";
import { ReasonChip, StateChip } from "../../design/chip.tsx";
import { Time } from "../../design/parts.tsx";
import type { Column } from "../../design/rows.tsx";
import { spellMoney } from "../../format/money.ts";
import { spellNumber } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";

export const nameColumn: Column<Job> = {
  label: "Job",
  sort: "name",
  width: "minmax(0, 2fr)",
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
  width: "minmax(0, 1.3fr)",
  wide: true,
  show: ({ project }) => project,
};
export const userColumn: Column<Job> = {
  label: "User",
  sort: "user",
  width: "minmax(0, 1fr)",
  wide: true,
  show: ({ userName, user }) => userName ?? user,
};
export const stateColumn: Column<Job> = {
  label: "State",
  sort: "state",
  width: "minmax(0, 190px)",
  show: (job) => <StateChip job={job} />,
};
export const reasonColumn: Column<Job> = {
  label: "Waiting reason",
  width: "minmax(150px, 1.2fr)",
  show: (job) => <ReasonChip reason={job.reason} />,
};
export const gpusColumn: Column<Job> = {
  label: "GPUs",
  sort: "gpus",
  width: "110px",
  wide: true,
  show: ({ gpus, gpuModel }) => `${spellNumber(gpus)} ${gpuModel === "*" ? "" : gpuModel}`,
};
export const sinceColumn: Column<Job> = {
  label: "Since",
  width: "110px",
  wide: true,
  show: ({ endedAt, startedAt, submittedAt }) => <Time at={endedAt ?? startedAt ?? submittedAt} />,
};
export const priorityColumn: Column<Job> = {
  label: "Priority",
  width: "80px",
  sort: "priority",
  wide: true,
  usual: false,
  show: ({ priority }) => priority,
};
export const submittedColumn: Column<Job> = {
  label: "Submitted",
  width: "110px",
  sort: "submitted",
  wide: true,
  usual: false,
  show: ({ submittedAt }) => <Time at={submittedAt} />,
};
export const waitedColumn: Column<Job> = {
  label: "Waited",
  width: "90px",
  wide: true,
  usual: false,
  show: ({ submittedAt, startedAt, endedAt }) =>
    spellSpan(Date.parse(startedAt ?? endedAt ?? new Date().toISOString()) - Date.parse(submittedAt)),
};
export const ranColumn: Column<Job> = {
  label: "Ran",
  width: "90px",
  wide: true,
  usual: false,
  show: ({ startedAt, endedAt }) =>
    startedAt === undefined
      ? ""
      : spellSpan((endedAt === undefined ? Date.now() : Date.parse(endedAt)) - Date.parse(startedAt)),
};
export const costColumn: Column<Job> = {
  label: "Cost",
  width: "120px",
  wide: true,
  usual: false,
  show: ({ cost }) => (cost === undefined ? "" : spellMoney(cost.micros, cost.currency)),
};
export const labelsColumn: Column<Job> = {
  label: "Labels",
  width: "minmax(0, 1.3fr)",
  wide: true,
  usual: false,
  show: ({ labels = {} }) =>
    Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(", "),
};
export const idColumn: Column<Job> = {
  label: "Id",
  width: "190px",
  wide: true,
  usual: false,
  show: ({ id }) => <code>{id}</code>,
};
