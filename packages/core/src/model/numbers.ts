/**
 * The owner's most of everything that a tenant can make large. Each has a plain value, which fits a small control plane,
 * and bounds in which the owner may choose another.
 */
export interface Numbers {
  /** Elements of one array. */
  readonly arrayElements: number;
  /** Jobs that wait at the same time, elements of arrays included: of one user, and of one tenant. */
  readonly waitingJobsPerUser: number;
  readonly waitingJobsPerTenant: number;
  /** What the job files of live jobs take in memory: of one user, and of one tenant. */
  readonly jobFilesMiBPerUser: number;
  readonly jobFilesMiBPerTenant: number;
  /** Members of jobs without GPUs that one tenant runs at the same time. */
  readonly cpuMembersPerTenant: number;
  /** What such a member asks for where its job names no cores or memory; it is placed by it and pays for it. */
  readonly cpuMemberCpusMilli: number;
  readonly cpuMemberMemoryMiB: number;
  readonly processesPerMember: number;
  readonly scratchMiBPerMember: number;
  readonly logMiBPerMember: number;
  /** Answers that stay open, of one user: followed logs, watched lists, entries into jobs. */
  readonly streamsPerUser: number;
  /** A report covers at most this many days and has at most this many rows of time. */
  readonly reportDays: number;
  readonly reportSteps: number;
}

export interface NumberBounds {
  /** Of an owner who sets none. */
  readonly plain: number;
  readonly least: number;
  readonly most: number;
}

/** In the order in which they are shown. */
export const numberBounds: Readonly<Record<keyof Numbers, NumberBounds>> = {
  arrayElements: { plain: 10_000, least: 1, most: 10_000 },
  waitingJobsPerUser: { plain: 20_000, least: 1, most: 10_000_000 },
  waitingJobsPerTenant: { plain: 50_000, least: 1, most: 10_000_000 },
  jobFilesMiBPerUser: { plain: 32, least: 1, most: 65_536 },
  jobFilesMiBPerTenant: { plain: 128, least: 1, most: 65_536 },
  cpuMembersPerTenant: { plain: 1_000, least: 0, most: 1_000_000 },
  cpuMemberCpusMilli: { plain: 100, least: 1, most: 1_000_000 },
  cpuMemberMemoryMiB: { plain: 2_048, least: 64, most: 10_000_000 },
  processesPerMember: { plain: 4_096, least: 16, most: 1_000_000 },
  scratchMiBPerMember: { plain: 102_400, least: 1, most: 1_000_000_000 },
  logMiBPerMember: { plain: 1_024, least: 1, most: 1_000_000 },
  streamsPerUser: { plain: 256, least: 1, most: 10_000 },
  reportDays: { plain: 400, least: 1, most: 4_000 },
  reportSteps: { plain: 1_000, least: 1, most: 10_000 },
};

export const numberNames: readonly (keyof Numbers)[] = Object.keys(numberBounds).filter(isNumberName);

export function isNumberName(name: string): name is keyof Numbers {
  return Object.hasOwn(numberBounds, name);
}

/** The most that the owner allows of one thing. */
export function mostOf({ max }: { readonly max?: Partial<Numbers> }, name: keyof Numbers): number {
  return max?.[name] ?? numberBounds[name].plain;
}
