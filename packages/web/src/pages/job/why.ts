import type { Displacement, Explanation, Job, WaitReason } from "@tessera/wire";
import { reasonKinds, waitingReasons } from "@tessera/wire/reasons";
import { inZone } from "../../format/times.ts";

export interface Check {
  readonly kind: WaitReason["kind"];
  readonly result: "passed" | "failing" | "open";
  readonly text: string;
}

/** The checks in the order in which the scheduler makes them: those passed, the reason, and those not made because of it. */
export function waterfall(reason: WaitReason | undefined): Check[] {
  const at = reason === undefined ? reasonKinds.length : reasonKinds.indexOf(reason.kind);
  return reasonKinds.map((kind, i) => {
    if (i < at) return { kind, result: "passed", text: waitingReasons[kind].passed };
    return i === at ? { kind, result: "failing", text: inZone(reason!.detail) } : { kind, result: "open", text: "" };
  });
}

/** GPUs of which a reason tells, to be drawn beside each other. */
export interface Amount {
  readonly label: string;
  readonly gpus: number;
  readonly tone: "needed" | "free" | "limit";
}

/** What is needed, and what of it there is: held of a limit, or free. */
export function amountsOf({ kind, needed, fits, held, limit, free }: WaitReason): Amount[] {
  const amounts: readonly (readonly [string, number | undefined, Amount["tone"]])[] = [
    ["needed", needed, "needed"],
    ["fit as asked", fits, "free"],
    ["held", held, "free"],
    ["limit", limit, "limit"],
    // They are free, but not for it.
    [kind === "health" ? "out of service" : "free", free, fits === undefined ? "free" : "limit"],
  ];
  return amounts.flatMap(([label, gpus, tone]) => (gpus === undefined ? [] : { label, gpus, tone }));
}

/** Of which teams the jobs are that would be evicted. */
export function victimsText({ jobs, members, own }: Pick<Displacement, "jobs" | "members" | "own">): string {
  if (jobs === 0) return members === 1 ? "a member of an elastic job" : `${members} members of elastic jobs`;
  if (own === 0) return "all of other teams";
  return own >= jobs ? "all of its own account" : `${own} of its own account, ${jobs - own} of other teams`;
}

/** The job file with one field changed, ready to be submitted. */
export function changed(
  job: Pick<Job, "spec" | "project">,
  change: { field: string; to: unknown },
): Record<string, unknown> {
  const spec: Record<string, unknown> = { ...job.spec, project: job.project };
  if (change.to === null || change.to === undefined) delete spec[change.field];
  else spec[change.field] = change.to;
  return spec;
}

/** `gpus H100:8 → H100:4`. */
export function spellChange({ field, from, to }: { field: string; from?: unknown; to?: unknown }): string {
  const text = (value: unknown) =>
    value === undefined || value === null ? "none" : typeof value === "string" ? value : JSON.stringify(value);
  return `${field}: ${text(to)} instead of ${text(from)}`;
}

/** The whole span that a picture of the start has to show. */
export function startSpan(start: Explanation["start"], now: number): { from: number; to: number } | undefined {
  const ends = [start?.at, start?.p50, start?.p90].filter((at) => at !== undefined).map((at) => Date.parse(at!));
  if (ends.length === 0) return undefined;
  return { from: now, to: now + Math.max(60_000, Math.round(1.15 * (Math.max(...ends) - now))) };
}
