import type { History, Submission } from "./history.ts";
import type { Ran } from "./truth.ts";

/** The fields of a job in the API that are checked at the end. */
export interface ToldJob {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly outcome?: string;
  readonly exitCode?: number;
  readonly attempts?: readonly { readonly attempt: number; readonly result: string; readonly exitCode?: number }[];
}

/** The reports of the control plane when everything has ended. */
export interface Told {
  /** Every job and every element of an array, by id. */
  readonly jobs: ReadonlyMap<string, ToldJob>;
  /** Jobs and arrays in the list of all, as they were listed. */
  readonly listed: readonly { readonly id: string; readonly name: string }[];
  /** The last edit that each account shows. */
  readonly edits: ReadonlyMap<string, number>;
  /** GPU-unit-milliseconds by job. */
  readonly usage: ReadonlyMap<string, number>;
  readonly differenceUnitMs: number;
}

export interface Verdict {
  readonly lost: number;
  readonly duplicated: number;
  readonly ranTwice: number;
  readonly gpuOverlaps: number;
  readonly exitCodesLost: number;
  readonly unbalancedMs: number;
  /** A description of each fault. */
  readonly faults: readonly string[];
}

const unitsPerGpu = 21_000;

/** Compares the answers that clients got, what really ran, and what the control plane reports at the end. */
export function check(histories: readonly History[], ran: readonly Ran[], told: Told): Verdict {
  const faults = new Faults();
  const runs = new Map<string, Ran[]>();
  for (const run of ran) runs.set(run.job, [...(runs.get(run.job) ?? []), run]);
  for (const history of histories) {
    for (const submission of history.submissions) checkSubmission(submission, told, runs, faults);
    const shown = told.edits.get(history.account) ?? 0;
    if (shown < history.edit.acknowledged || shown > history.edit.asked) {
      faults.add("lost", `${history.account}: edit ${history.edit.acknowledged} was acknowledged, ${shown} is there`);
    }
  }
  checkNames(histories, told, faults);
  for (const [job, of] of runs) checkAttempts(job, of, faults);
  checkGpus(ran, faults);
  const unmeteredMs = checkUsage(runs, told, faults);
  if (told.differenceUnitMs !== 0) faults.add("unbalanced", `the books differ by ${told.differenceUnitMs} unit-ms`);
  return {
    lost: faults.count("lost"),
    duplicated: faults.count("duplicated"),
    ranTwice: faults.count("ranTwice"),
    gpuOverlaps: faults.count("gpuOverlaps"),
    exitCodesLost: faults.count("exitCodesLost"),
    unbalancedMs: Math.ceil(Math.abs(told.differenceUnitMs) / unitsPerGpu) + unmeteredMs,
    faults: faults.texts,
  };
}

class Faults {
  readonly texts: string[] = [];
  readonly #counts = new Map<string, number>();

  add(kind: string, text: string): void {
    this.#counts.set(kind, this.count(kind) + 1);
    this.texts.push(`${kind}: ${text}`);
  }

  count(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }
}

/** Every element that a submission made; the job itself where it is no array. */
export function elementIds(id: string, size: number): string[] {
  return size === 1 ? [id] : Array.from({ length: size }, (_, i) => `${id}.${i + 1}`);
}

function checkSubmission(
  submission: Submission,
  told: Told,
  runs: ReadonlyMap<string, readonly Ran[]>,
  faults: Faults,
): void {
  const ids = new Set(submission.answered);
  if (ids.size > 1) faults.add("duplicated", `${submission.key} was answered with ${[...ids].join(" and ")}`);
  for (const id of ids) {
    for (const element of elementIds(id, submission.size)) {
      const job = told.jobs.get(element);
      if (job === undefined || job.state !== "ended") {
        faults.add("lost", `${element} (${submission.name}) is ${job?.state ?? "unknown"}`);
        continue;
      }
      const really = runs.get(element) ?? [];
      checkOutcome(submission, job, really, faults);
      checkExitCodes(submission, job, really, faults);
      checkRequeues(submission, job, faults);
    }
  }
}

/** The outcome must follow from the client's requests and from what the last attempt really did. */
function checkOutcome(submission: Submission, job: ToldJob, really: readonly Ran[], faults: Faults): void {
  const { outcome } = job;
  if (outcome === "cancelled" && submission.cancel !== "not-asked") return;
  const last = lastAttempt(really);
  // The cancel of an array ends the elements that have not ended.
  const sooner = submission.size > 1 && last.every((run) => run.endedAt! < submission.cancelledAt!);
  if (submission.cancel === "acknowledged" && !sooner) {
    faults.add("lost", `${job.id}: its cancel was acknowledged, and it ended as ${outcome}`);
    return;
  }
  const good = last.length === submission.members && last.every((run) => run.code === 0);
  const bad = last.some((run) => run.code !== undefined && run.code !== 0);
  if (outcome === "succeeded" ? good : outcome === "failed" && bad) return;
  const codes = last.map((run) => run.code ?? "no end").join(", ");
  faults.add(
    "lost",
    `${job.id} (${submission.name}) ended as ${outcome}; its last attempt really ended with: ${codes}`,
  );
}

function lastAttempt(really: readonly Ran[]): readonly Ran[] {
  const last = Math.max(...really.map((run) => run.attempt));
  return really.filter((run) => run.attempt === last);
}

/** The reported exit code of each attempt must be one that its members returned. */
function checkExitCodes(submission: Submission, job: ToldJob, really: readonly Ran[], faults: Faults): void {
  const shown = new Map(job.attempts?.map((each) => [each.attempt, each]));
  for (const attempt of new Set(really.map((run) => run.attempt))) {
    const codes = really.filter((run) => run.attempt === attempt).flatMap((run) => run.code ?? []);
    if (codes.length < submission.members && codes.every((code) => code === 0 || code === 143)) continue;
    const { exitCode: given, result } = shown.get(attempt) ?? {};
    // A member that wrote no end was stopped before it could: by the signal, before it had set its trap.
    const silent = codes.length < submission.members ? [143] : [];
    if (given !== undefined && expectedCodes([...codes, ...silent], result === "failed").includes(given)) continue;
    faults.add(
      "exitCodesLost",
      `${job.id} attempt ${attempt} (${result}), ${submission.members} members: returned ${codes.join(", ")}, ${given} is reported`,
    );
  }
  const { exitCode, outcome } = job;
  if (really.length === 0 && outcome !== "cancelled" && exitCode !== undefined) {
    faults.add("exitCodesLost", `${job.id} never ran, and ${exitCode} is reported`);
  }
}

/**
 * The codes that may be reported for an attempt whose members returned these. A gang reports its first bad code. A
 * member that failed by itself is the first, since the others are stopped only then, and return 143; where all were
 * stopped from outside, any may have been the first.
 */
function expectedCodes(codes: readonly number[], byItself: boolean): readonly number[] {
  const bad = codes.filter((code) => code !== 0);
  const own = bad.filter((code) => code !== 143);
  return bad.length === 0 ? [0] : byItself && own.length > 0 ? own : bad;
}

/** An evicted attempt is followed by exactly one other, unless its user cancels; a covered job is never evicted. */
function checkRequeues({ covered, cancel }: Submission, job: ToldJob, faults: Faults): void {
  const { id, attempts = [], outcome } = job;
  for (const [i, { attempt, result }] of attempts.entries()) {
    const next = attempts[i + 1];
    if (next !== undefined && next.attempt !== attempt + 1) {
      faults.add("duplicated", `${id}: attempt ${attempt} (${result}) was followed by attempt ${next.attempt}`);
    }
    if (covered && result === "preempted") faults.add("lost", `${id} was covered, and attempt ${attempt} was taken`);
  }
  if (attempts.at(-1)?.result === "preempted" && !(outcome === "cancelled" && cancel !== "not-asked")) {
    faults.add("lost", `${id} was taken and did not come back: it ended as ${outcome}`);
  }
}

/** Names are given once, so two jobs of one name are one request that was carried out twice. */
function checkNames(histories: readonly History[], told: Told, faults: Faults): void {
  const asked = new Set(histories.flatMap((history) => history.submissions.map((each) => each.name)));
  const ids = new Map<string, string>();
  for (const { id, name } of told.listed) {
    const other = ids.get(name);
    if (other !== undefined) faults.add("duplicated", `${name} was made as ${other} and as ${id}`);
    else if (!asked.has(name)) faults.add("duplicated", `no client requested ${id} (${name})`);
    ids.set(name, id);
  }
}

/** One start per member and attempt, and no attempt before the one before it is over. */
function checkAttempts(job: string, runs: readonly Ran[], faults: Faults): void {
  const starts = new Map<string, number>();
  for (const { attempt, rank } of runs) {
    const member = `${attempt}-${rank}`;
    starts.set(member, (starts.get(member) ?? 0) + 1);
  }
  for (const [member, count] of starts) {
    if (count > 1) faults.add("ranTwice", `${job}-${member} was started ${count} times`);
  }
  for (const run of runs) {
    for (const later of runs) {
      if (later.attempt > run.attempt && later.startedAt < (run.endedAt ?? run.startedAt)) {
        faults.add("ranTwice", `${job}: attempt ${later.attempt} began before attempt ${run.attempt} was over`);
      }
    }
  }
}

function checkGpus(ran: readonly Ran[], faults: Faults): void {
  const byGpu = new Map<string, Ran[]>();
  for (const run of ran) for (const gpu of run.gpus) byGpu.set(gpu, [...(byGpu.get(gpu) ?? []), run]);
  for (const [gpu, runs] of byGpu) {
    runs.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
    let holder: Ran | undefined;
    for (const run of runs) {
      if (holder?.endedAt !== undefined && run.startedAt < holder.endedAt) {
        faults.add("gpuOverlaps", `${gpu}: ${nameOf(run)} began while ${nameOf(holder)} ran`);
      }
      if (holder === undefined || (run.endedAt ?? run.startedAt) > (holder.endedAt ?? holder.startedAt)) holder = run;
    }
  }
}

function nameOf(run: Ran): string {
  return `${run.job}-${run.attempt}-${run.rank}`;
}

/** At least the time that members themselves saw pass on a GPU must be in the books. Returns what is missing. */
function checkUsage(runs: ReadonlyMap<string, readonly Ran[]>, told: Told, faults: Faults): number {
  let missingMs = 0;
  for (const [job, of] of runs) {
    let reallyNs = 0n;
    for (const run of of) reallyNs += BigInt(run.gpus.length) * ((run.endedAt ?? run.startedAt) - run.startedAt);
    const reallyMs = Math.floor(Number(reallyNs / 1_000_000n));
    const toldMs = (told.usage.get(job) ?? 0) / unitsPerGpu;
    if (toldMs >= reallyMs) continue;
    faults.add("unbalanced", `${job} held its GPUs for ${reallyMs} ms and ${toldMs} ms are reported`);
    missingMs += Math.ceil(reallyMs - toldMs);
  }
  return missingMs;
}
