import type { Job } from "@tessera/wire";

/** The time that all charts of a job show: from its first start until its end or now. */
export interface JobTime {
  readonly job: string;
  readonly from: string;
  /** Absent while it goes on. */
  readonly to: string | undefined;
  readonly over: boolean;
}

/** The part of it that was chosen on a chart. */
export function partOf({ job, to }: JobTime, part: { readonly from: number; readonly to: number }): JobTime {
  const over = to !== undefined || part.to < Date.now();
  return { job, from: new Date(part.from).toISOString(), to: new Date(part.to).toISOString(), over };
}

/** Undefined where it has not started yet. */
export function jobTimeOf({ id, attempts, startedAt, endedAt }: Job): JobTime | undefined {
  const from = attempts?.find((attempt) => attempt.startedAt !== undefined)?.startedAt ?? startedAt;
  return from === undefined ? undefined : { job: id, from, to: endedAt, over: endedAt !== undefined };
}
