import type { Numbers } from "@tessera/core/numbers";

export { type NumberBounds, type Numbers, numberBounds } from "@tessera/core/numbers";

/** What each number of the owner bounds. */
export const numberWords: Readonly<Record<keyof Numbers, string>> = {
  arrayElements: "elements of one array",
  waitingJobsPerUser: "waiting jobs of one user",
  waitingJobsPerTenant: "waiting jobs of one tenant",
  jobFilesMiBPerUser: "MiB of memory for the job files of one user's live jobs",
  jobFilesMiBPerTenant: "MiB of memory for the job files of one tenant's live jobs",
  cpuMembersPerTenant: "members without GPUs that one tenant runs at a time",
  cpuMemberCpusMilli: "thousandths of a core that a member without GPUs asks for where its job names none",
  cpuMemberMemoryMiB: "MiB of memory that a member without GPUs asks for where its job names none",
  processesPerMember: "processes and threads of one member",
  scratchMiBPerMember: "MiB in the work and temporary folders of one member",
  logMiBPerMember: "MiB in the log of one member",
  streamsPerUser: "answers that one user keeps open: followed logs, watched lists, entries into jobs",
  reportDays: "days that one report covers",
  reportSteps: "steps of time in one report",
};
