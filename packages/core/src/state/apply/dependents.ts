import type { JobNo } from "../../model/ids.ts";
import type { JobSpec } from "../../model/job.ts";
import type { State } from "../state.ts";
import { numberOf } from "../unmade.ts";
import { queueOrPark } from "./queued.ts";

/** Notes that a job runs after a live one. */
export function dependOn(state: State, job: JobNo, before: JobNo, spec: JobSpec): void {
  const when = spec.after.find((after) => numberOf(state, after.job) === before)?.when ?? "succeeded";
  const list = state.dependents.get(before);
  if (list === undefined) state.dependents.set(before, [{ job, when }]);
  else list.push({ job, when });
}

/** The jobs that wait for it, and the jobs that it waits for, know it by its new number. */
export function renumberDependents(state: State, from: JobNo, to: JobNo): void {
  const waiting = state.dependents.get(from);
  if (waiting !== undefined) {
    state.dependents.delete(from);
    state.dependents.set(to, waiting);
  }
  for (const [before, list] of state.dependents)
    if (list.some(({ job }) => job === from))
      state.dependents.set(
        before,
        list.map((each) => (each.job === from ? { ...each, job: to } : each)),
      );
}

/**
 * Each dependent has one job less to wait for. Dependents that needed it to succeed, and it did not, end by events of
 * their own in the same batch.
 */
export function settleDependents(state: State, no: JobNo): void {
  for (const { job } of state.dependents.get(no) ?? []) {
    const waiting = state.jobs.get(job);
    if (waiting === undefined) continue;
    waiting.waitsFor--;
    queueOrPark(state, waiting);
  }
  state.dependents.delete(no);
}
