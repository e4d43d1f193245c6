import type { Job } from "@tessera/wire";
import { ReasonChip, StateChip } from "../../design/chip.tsx";
import { Time } from "../../design/parts.tsx";
import type { Column } from "../../design/rows.tsx";
import { spellNumber } from "../../format/numbers.ts";

export const nameColumn: Column<Job> = {
  label: "Job",
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
  width: "minmax(0, 1.3fr)",
  wide: true,
  show: ({ project }) => project,
};
export const userColumn: Column<Job> = {
  label: "User",
  width: "minmax(0, 1fr)",
  wide: true,
  show: ({ userName, user }) => userName ?? user,
};
export const stateColumn: Column<Job> = {
  label: "State",
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
