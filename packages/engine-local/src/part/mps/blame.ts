/** What is known of a fatal fault when a member that used the server ends. */
export interface Fault {
  /** The process that the server names as its cause. */
  readonly culprit: number | undefined;
  /** Clients of the server that belong to this member, and those of all members with their jobs. */
  readonly own: ReadonlySet<number>;
  readonly jobs: ReadonlyMap<number, string>;
  /** The jobs that use the server. */
  readonly users: ReadonlySet<string>;
}

/**
 * Whether a member of `job` is to blame for a fatal fault of the server that it shared. Members of one job answer for each
 * other. A fault that the server blames on no known process ends every job as a neighbour, unless there was only one: a
 * job must not fail for what another may have done.
 */
export function isToBlame({ culprit, own, jobs, users }: Fault, job: string): boolean {
  if ([...users].every((user) => user === job)) return true;
  if (culprit === undefined) return false;
  return own.has(culprit) || jobs.get(culprit) === job;
}
