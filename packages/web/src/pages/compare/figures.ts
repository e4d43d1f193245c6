import type { Job } from "@tessera/wire";
import { spellMoney } from "../../format/money.ts";
import { spellGpus, spellNumber } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";
import { type PhaseKind, phasesOf } from "../job/phases.ts";

/** A run with what was measured of it. */
export interface Run {
  readonly job: Job;
  /** The mean activity of its GPUs while it ran, in per cent; undefined where it was not measured. */
  readonly activity: number | undefined;
}

/** One measure of both runs, and how much more of it the second had. */
export interface FigureRow {
  readonly label: string;
  readonly a: string;
  readonly b: string;
  readonly difference: string;
}

const none = "–";

/** What can be counted of two runs, as rows of a table. */
export function figureRows(a: Run, b: Run, now: number): FigureRow[] {
  const spans = (kind: PhaseKind): FigureRow => {
    const [first, second] = [spanOf(a.job, kind, now), spanOf(b.job, kind, now)];
    return { label: spanLabels[kind], a: spanText(first), b: spanText(second), difference: spanChange(second - first) };
  };
  const plain = (label: string, textOf: (run: Run) => string | undefined): FigureRow => {
    const [first = none, second = none] = [textOf(a), textOf(b)];
    return { label, a: first, b: second, difference: first === second ? "the same" : "" };
  };
  return [
    plain("Ended", ({ job }) => (job.state === "ended" ? (job.outcome ?? "ended") : job.state)),
    plain("Exit code", ({ job }) => (job.exitCode === undefined ? undefined : String(job.exitCode))),
    spans("queue"),
    spans("start"),
    spans("run"),
    plain("Attempts", ({ job }) => String(job.attempt)),
    plain("GPUs", ({ job }) => `${spellGpus(job.gpus)}${job.gpuModel === "*" ? "" : ` ${job.gpuModel}`}`),
    plain("Nodes", ({ job }) => nodesOf(job)),
    activityRow(a, b),
    costRow(a.job, b.job),
  ].filter(({ a: first, b: second }) => first !== none || second !== none);
}

const spanLabels: Readonly<Record<PhaseKind, string>> = {
  queue: "Waited",
  start: "Took to start",
  run: "Ran",
  stop: "Took to stop",
};

function spanOf(job: Job, wanted: PhaseKind, now: number): number {
  const ms = phasesOf(job, now).reduce((sum, { kind, from, to }) => sum + (kind === wanted ? to - from : 0), 0);
  return 1_000 * Math.round(ms / 1_000); // what is shown, so that the difference is that of what one reads
}

function spanText(ms: number): string {
  return ms === 0 ? none : spellSpan(ms);
}

function spanChange(ms: number): string {
  if (ms === 0) return "the same";
  return ms > 0 ? `${spellSpan(ms)} longer` : `${spellSpan(-ms)} shorter`;
}

function activityRow(a: Run, b: Run): FigureRow {
  const text = ({ activity }: Run) => (activity === undefined ? none : `${spellNumber(activity)} %`);
  const points = (b.activity ?? 0) - (a.activity ?? 0);
  const known = a.activity !== undefined && b.activity !== undefined;
  const change = points === 0 ? "the same" : `${spellNumber(Math.abs(points))} points ${points > 0 ? "more" : "less"}`;
  return { label: "GPU activity", a: text(a), b: text(b), difference: known ? change : "" };
}

function costRow({ cost: a }: Job, { cost: b }: Job): FigureRow {
  const text = (cost: Job["cost"]) => (cost === undefined ? none : spellMoney(cost.micros, cost.currency));
  const row = { label: "Cost", a: text(a), b: text(b), difference: "" };
  if (a === undefined || b === undefined || a.currency !== b.currency) return row;
  const more = BigInt(b.micros) - BigInt(a.micros);
  if (more === 0n) return { ...row, difference: "the same" };
  const amount = spellMoney(String(more < 0n ? -more : more), a.currency);
  return { ...row, difference: `${amount} ${more > 0n ? "more" : "less"}` };
}

function nodesOf({ members, attempts }: Job): string | undefined {
  const names = members.length > 0 ? members.map(({ node }) => node) : (attempts?.at(-1)?.nodes ?? []);
  const nodes = [...new Set(names)];
  if (nodes.length === 0) return undefined;
  return nodes.length > 3 ? `${nodes.slice(0, 3).join(", ")} and ${nodes.length - 3} more` : nodes.join(", ");
}
