import { admitJob } from "../admit/job.ts";
import { budgetHit } from "../gate/money.ts";
import type { Command, SubmitJob } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import type { JobId, JobNo } from "../model/ids.ts";
import { instantText } from "../model/instant.ts";
import type { Job, JobArray, StopCause } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { type EndingTogether, endingTogether, endJob, endUnmade } from "../run/finish.ts";
import { killJob, stopJob } from "../run/stop.ts";
import { arraySize } from "../state/apply/new-job.ts";
import type { State } from "../state/state.ts";
import { numberOf, unmadeById } from "../state/unmade.ts";

/** Whether a parsed request may compete, and the jobs that it must wait for. */
export function submitJob(state: State, command: SubmitJob, now: Instant): Decision {
  const account = state.accountByPath.get(command.account);
  if (account === undefined || command.account === "") {
    return refuse("not-found", "project", command.account, "does not exist", "see: tess account tree");
  }
  if (account.children.length > 0 && account.path === "")
    return refuse("invalid", "project", "", "is missing", "name an account: --project PATH");
  if (state.jobById.has(command.id) || (state.arrayById.size > 0 && state.arrayById.has(command.id))) {
    return refuse("already-exists", "id", command.id, "is taken", "use another id");
  }
  const { spec } = command;
  if (spec.deadlineAt !== undefined && spec.deadlineAt <= now) {
    return refuse("invalid", "deadline", instantText(spec.deadlineAt), "has passed", "give a time in the future");
  }
  const refusal = admitJob(state, account.no, command.user, spec);
  if (refusal !== undefined) return refusal;
  const spent = budgetHit(state, account.no, false);
  if (spent !== undefined) {
    const hint = "ask an administrator for a larger budget, or wait for the next period";
    return refuse(
      "not-allowed",
      "project",
      command.account,
      `cannot start jobs: the budget of ${spent.account} is spent`,
      hint,
    );
  }
  const waitsFor = dependencies(state, command);
  if (isRefusal(waitsFor)) return waitsFor;
  const job = state.nextJob as JobNo;
  const { id, user } = command;
  const window = arraySize(spec) > elementsAhead ? elementsAhead : undefined;
  return {
    events: [{ account: account.no, at: now, id, job, kind: "job-submitted", spec, user, v: 1, waitsFor, window }],
    result: id,
  };
}

/**
 * So many elements of an array wait for their first start at a time [O5]. Far more than a pass over the queue looks at,
 * and so few that thousands of arrays fit into memory.
 */
const elementsAhead = 100;

function dependencies(state: State, command: SubmitJob): readonly JobNo[] | Refusal {
  if (command.spec.after.length === 0) return none;
  const live: JobNo[] = [];
  for (const [i, after] of command.spec.after.entries()) {
    const no = numberOf(state, after.job);
    if (no !== undefined) {
      live.push(no);
      continue;
    }
    const ended = command.endedBefore.find((each) => each.job === after.job);
    // It was live when the shell looked and has ended since; only the shell can read its outcome.
    if (ended === undefined) return refuse("look-again", `after[${i}]`, after.job, "has just ended", "ask again");
    if (after.when === "succeeded" && ended.outcome !== "succeeded") {
      return refuse(
        "conflict",
        `after[${i}]`,
        after.job,
        `has ended as ${ended.outcome}`,
        "use when: ended, or name another job",
      );
    }
  }
  return live;
}

const none: readonly JobNo[] = [];

type JobCommand = Extract<Command, { kind: "job.cancel" | "job.hold" | "job.release" | "job.suspend" | "job.requeue" }>;

/** These commands act on one job, or on every live element of an array that they apply to. */
export function changeJob(state: State, command: JobCommand, now: Instant): Decision {
  const unmade = unmadeById(state, command.job);
  if (unmade !== undefined) return withElement(unmade, changeEach(state, command, [unmade], now), now);
  const jobs = liveJobs(state, command.job);
  if (jobs.length === 0) return refuse("conflict", "job", command.job, "has ended", "see: tess ps --all");
  const array = state.arrayById.get(command.job);
  if (array?.later === undefined) return changeEach(state, command, jobs, now);
  return changeLongArray(state, command, array, jobs, now);
}

function changeEach(state: State, command: JobCommand, jobs: readonly Job[], now: Instant): Decision {
  switch (command.kind) {
    case "job.cancel": {
      const together = endingTogether();
      return { events: jobs.flatMap((job) => cancel(state, job, now, together, command.force)) };
    }
    case "job.hold": {
      const waiting = jobs.filter((job) => job.state === "waiting");
      if (waiting.length > 0) return { events: waiting.flatMap((job) => hold(job, true, now)) };
      return notSo(
        jobs[0]!,
        command.job,
        "only a waiting job can be held",
        `suspend it instead: tess suspend ${command.job}`,
      );
    }
    case "job.release": {
      const held = jobs.filter((job) => job.held);
      if (held.length > 0) return { events: held.flatMap((job) => hold(job, false, now)) };
      if (jobs[0]!.state === "waiting") return { events: [] };
      return notSo(jobs[0]!, command.job, "it is not held", "it needs no release");
    }
    case "job.suspend": {
      const staying = jobs.filter((job) => job.state === "waiting" || !leavesForGood(job));
      if (staying.length === 0)
        return notSo(jobs[0]!, command.job, "it does not come back", `wait for its end: tess wait ${command.job}`);
      return { events: staying.flatMap((job) => [...hold(job, true, now), ...stopJob(state, job, "suspend", now)]) };
    }
    case "job.requeue": {
      const running = jobs.filter((job) => job.state === "starting" || job.state === "running");
      if (running.length > 0) return { events: running.flatMap((job) => stopJob(state, job, "requeue", now)) };
      return notSo(
        jobs[0]!,
        command.job,
        "only a running job can be sent back to the queue",
        `see: tess explain ${command.job}`,
      );
    }
  }
}

function hold(job: Job, held: boolean, now: Instant): Event[] {
  return job.held === held ? [] : [{ kind: "job-held", v: 1, at: now, job: job.no, held }];
}

/** An array with elements that are not made: they are held and released with it, and end with it. */
function changeLongArray(
  state: State,
  command: JobCommand,
  array: JobArray,
  jobs: readonly Job[],
  now: Instant,
): Decision {
  const all = (held: boolean): Event[] => [{ kind: "job-held", v: 1, at: now, job: array.no, held }];
  const active = jobs.filter((job) => job.state !== "waiting");
  switch (command.kind) {
    case "job.cancel": {
      const together = endingTogether();
      const rest = endUnmade(state, array, { outcome: "cancelled" }, now, together);
      return { events: [...rest, ...jobs.flatMap((job) => cancel(state, job, now, together, command.force))] };
    }
    case "job.hold":
      return { events: all(true) };
    case "job.release":
      return { events: [...all(false), ...active.flatMap((job) => hold(job, false, now))] };
    case "job.suspend": {
      const staying = active.filter((job) => !leavesForGood(job));
      const stops = staying.flatMap((job) => [...hold(job, true, now), ...stopJob(state, job, "suspend", now)]);
      return { events: [...all(true), ...stops] };
    }
    case "job.requeue":
      return changeEach(state, command, jobs, now);
  }
}

/** A command about one element that is not made: it is made first, so that it can differ from the others. */
export function withElement({ no, array }: Job, decision: Decision, now: Instant): Decision {
  if (isRefusal(decision) || decision.events.length === 0) return decision;
  const made: Event = { kind: "elements-made", v: 1, at: now, array: array!, element: no };
  return { ...decision, events: [made, ...decision.events] };
}

/** Causes after which a job that is stopping does not start again, whatever its retry rule says. */
const forGood: ReadonlySet<StopCause> = new Set(["cancel", "time-limit", "deadline", "spent", "idle"]);

function leavesForGood({ stopCause }: Job): boolean {
  return stopCause !== undefined && forGood.has(stopCause);
}

function notSo({ state, held }: Job, id: JobId, rule: string, hint: string): Refusal {
  return refuse("conflict", "job", id, `is ${held && state === "waiting" ? "held" : state}: ${rule}`, hint);
}

export function liveJobs(state: State, id: JobId): Job[] {
  const job = state.jobById.get(id);
  if (job !== undefined) return [job];
  const array = state.arrayById.get(id);
  if (array === undefined) return [];
  const found: Job[] = [];
  for (let no = array.no + 1; no <= array.no + array.size; no++) {
    const element = state.jobs.get(no as JobNo);
    if (element !== undefined) found.push(element);
  }
  return found;
}

function cancel(state: State, job: Job, now: Instant, together: EndingTogether, force: true | undefined): Event[] {
  if (job.state !== "waiting" && force) return killJob(job, now);
  if (job.state !== "waiting") return stopJob(state, job, "cancel", now);
  return endJob(state, job, { outcome: "cancelled" }, now, together);
}

const deadlinePassed = { outcome: "deadline-passed", reason: "its deadline came while it waited" } as const;

/** The deadline of a job has come: a waiting job ends, a running one must stop. */
export function deadlineCame(state: State, no: JobNo, now: Instant): Event[] {
  const job = state.jobs.get(no);
  if (job === undefined || (job.spec.deadlineAt ?? Number.POSITIVE_INFINITY) > now) return [];
  if (job.state === "waiting") {
    const together = endingTogether();
    const array = job.array === undefined ? undefined : state.arrays.get(job.array);
    const late = array?.later !== undefined && (array.spec.deadlineAt ?? Number.POSITIVE_INFINITY) <= now;
    const rest = late ? endUnmade(state, array, deadlinePassed, now, together) : [];
    return [...rest, ...endJob(state, job, deadlinePassed, now, together)];
  }
  return stopJob(state, job, "deadline", now);
}
