import { canonicalJson } from "../journal/canonical.ts";
import type { Command } from "../journal/command.ts";
import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { JobSpec } from "../model/job.ts";
import { labelsWith } from "../model/labels.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { unmadeById } from "../state/unmade.ts";
import { checkLabels } from "../submit/narrow.ts";
import { liveJobs, withElement } from "./jobs.ts";

/** Labels of a job in any state; of an array those of its live elements too. Nothing else about the job changes. */
export function labelJob(
  state: State,
  { job: id, labels }: Extract<Command, { kind: "job.label" }>,
  now: Instant,
): Decision {
  const unmade = unmadeById(state, id);
  const array = state.arrayById.get(id);
  const jobs = unmade === undefined ? liveJobs(state, id) : [unmade];
  const first = array ?? jobs[0];
  if (first === undefined)
    return refuse("conflict", "job", id, "has ended", "label its next run: tess rerun JOB --set labels.KEY=VALUE");
  const pairs = Object.entries(labels);
  const set = Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair[1] !== null));
  const drop = pairs.flatMap(([key, value]) => (value === null ? [key] : [])).sort();
  const specs = new Set([...(array === undefined ? [] : [array]), ...jobs].map(({ spec }) => spec));
  const refusal = tooMany(specs, set, drop);
  if (refusal !== undefined) return refusal;
  if ([...specs].every((spec) => isLabelledSo(spec, set, drop))) return { events: [] };
  const changes = {
    ...(Object.keys(set).length > 0 && { set: labelsWith({}, set)! }),
    ...(drop.length > 0 && { drop }),
  };
  const decision: Decision = { events: [{ kind: "job-labelled", v: 1, at: now, job: first.no, ...changes }] };
  return unmade === undefined ? decision : withElement(unmade, decision, now);
}

function tooMany(specs: Iterable<JobSpec>, set: { readonly [key: string]: string }, drop: readonly string[]) {
  const wrong = checkLabels(set, "labels");
  if (wrong !== undefined) return wrong;
  for (const spec of specs) {
    const refusal: Refusal | undefined = checkLabels(labelsWith(spec.labels, set, drop) ?? {}, "labels");
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function isLabelledSo({ labels }: JobSpec, set: { readonly [key: string]: string }, drop: readonly string[]): boolean {
  return canonicalJson(labelsWith(labels, set, drop) ?? null) === canonicalJson(labels ?? null);
}
