import { isRefusal, type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import {
  type ArrayAsk,
  type Checkpoint,
  elementAt,
  elementsOf,
  type GpuNeed,
  type JobSpec,
  type Members,
  type Retry,
  type RetryCause,
  type Slo,
  type TopologyAsk,
} from "../model/job.ts";
import { minute } from "../model/units.ts";
import type { RawGpus } from "./gpus.ts";
import { Mistakes } from "./mistakes.ts";
import { parseDuration } from "./quantities.ts";

export interface RawMembers {
  readonly nodes?: number | string;
  readonly members?: number | string;
}

export interface RawNeeds {
  readonly gpus?: RawGpus | { readonly any: readonly (number | string)[]; readonly needs?: readonly GpuNeed[] };
  readonly needs?: readonly GpuNeed[];
}

export type RawEnv = { readonly [name: string]: string | number | boolean } | readonly string[];
export type RawRetry = number | { readonly max?: number; readonly when?: readonly RetryCause[] };

export interface RawCheckpoint {
  readonly dir?: string;
  readonly signal?: string;
  readonly grace?: string;
  readonly every?: string;
}

export interface RawSlo {
  readonly p99: string;
  readonly alone?: string;
}

const arraySizeMax = 10_000;
const none: readonly never[] = [];

/** Shared by all jobs of one member, which are most. */
export const oneMember: Members = { apart: true, max: 1, min: 1 };

/** `nodes` or `members`: a count, or a range for an elastic job. */
export function parseMembers(raw: RawMembers): Members | Refusal {
  if (raw.nodes === undefined && raw.members === undefined) return oneMember;
  if (raw.nodes !== undefined && raw.members !== undefined) {
    return refuse(
      "invalid",
      "members",
      raw.members,
      "cannot be used together with nodes",
      "use nodes for members on different nodes, or members where they may share a node",
    );
  }
  const field = raw.members !== undefined ? "members" : "nodes";
  const value = raw.members ?? raw.nodes ?? 1;
  const match = /^(\d{1,6})(?:\.\.(\d{1,6}))?$/.exec(String(value));
  const min = Number(match?.[1] ?? 0);
  const max = Number(match?.[2] ?? min);
  if (match === null || min < 1 || max < min || max > 100_000) {
    return refuse(
      "invalid",
      field,
      value,
      "is not a number or a range of members",
      "write 4, or 4..8 with the smaller number first",
    );
  }
  return { apart: field === "nodes", max, min };
}

/** Names with values, or a list of NAME=value. Names Tessera sets itself are refused: the job would never see its own. */
export function parseEnv(raw: RawEnv | undefined): JobSpec["env"] | Refusal {
  if (raw === undefined) return noEnv;
  const pairs = isList(raw) ? raw.map(pairOf) : Object.entries(raw);
  const mistakes: Refusal[] = [];
  const names = new Set<string>();
  for (const [i, [name]] of pairs.entries()) {
    const field = isList(raw) ? `env[${i}]` : `env.${name}`;
    if (isSetByTessera(name)) mistakes.push(refuse("invalid", field, null, setByTessera(name), "choose another name"));
    else if (names.has(name))
      mistakes.push(refuse("invalid", field, null, `sets ${name} again`, "give each name once"));
    names.add(name);
  }
  const values = new Map(pairs);
  // In the order in which the journal writes names: a job must look the same before and after a replay.
  return refuseAll(mistakes) ?? Object.fromEntries([...names].sort().map((name) => [name, String(values.get(name))]));
}

function isList(raw: RawEnv): raw is readonly string[] {
  return Array.isArray(raw);
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Names of its own command line are the user's: a job may call `tess`. */
const namesOfUsers = new Set(["TESS_CONTEXT", "TESS_PROJECT", "TESS_SERVER", "TESS_TOKEN"]);

/** Whether a variable of this name belongs to Tessera, which writes it last. */
export function isSetByTessera(name: string): boolean {
  return name.startsWith("TESS_") && !namesOfUsers.has(name);
}

export function setByTessera(name: string): string {
  return `cannot set ${name}: names that begin with TESS_ are set by Tessera`;
}

/** `rack`, or `rack?` for a preference. */
export function parseTopology(text: string | undefined, field: string): TopologyAsk | undefined | Refusal {
  if (text === undefined) return undefined;
  const match = /^(region|zone|block|rack|nvlink|node)(\?)?$/.exec(text);
  if (match === null) {
    return refuse(
      "invalid",
      field,
      text,
      "is not a topology level",
      "write region, zone, block, rack, nvlink or node; add ? to prefer it only",
    );
  }
  return { level: match[1] as TopologyAsk["level"], required: match[2] === undefined };
}

export function parseRetry(raw: RawRetry | undefined): Retry {
  if (raw === undefined) return usualRetry;
  const given = typeof raw === "number" ? { max: raw } : raw;
  const max = given.max ?? 0;
  const when: readonly RetryCause[] = given.when ?? (max > 0 ? ["failed", ...usualRetry.when] : usualRetry.when);
  return { max, when: [...new Set(when)].sort() };
}

/** Eviction and a lost node are not the job's fault: it runs again unless its user says otherwise. */
const usualRetry: Retry = { max: 0, when: ["node_lost", "preempted"] };
const noEnv: JobSpec["env"] = {};

export function parseCheckpoint(raw: RawCheckpoint | undefined): Checkpoint | undefined | Refusal {
  if (raw === undefined) return undefined;
  const mistakes = new Mistakes();
  const graceMs =
    raw.grace === undefined ? minute : mistakes.take(parseDuration(raw.grace, "checkpoint.grace"), minute);
  const everyMs =
    raw.every === undefined ? undefined : mistakes.take(parseDuration(raw.every, "checkpoint.every"), minute);
  const signal = raw.signal ?? "SIGTERM";
  const name = signal.startsWith("SIG") ? signal : `SIG${signal}`;
  if (!signalsAllowed.has(name)) {
    const hint = `use one of ${[...signalsAllowed].join(", ")}`;
    mistakes.add(refuse("invalid", "checkpoint.signal", signal, "is not a signal that a job can catch", hint));
  }
  return mistakes.refusal() ?? { dir: raw.dir, everyMs, graceMs, signal: name };
}

const signalsAllowed = new Set(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGALRM"]);

export function parseSlo(raw: RawSlo | undefined): Slo | undefined | Refusal {
  if (raw === undefined) return undefined;
  const p99Ms = parseDuration(raw.p99, "slo.p99");
  if (isRefusal(p99Ms)) return p99Ms;
  if (p99Ms === 0) return refuse("invalid", "slo.p99", raw.p99, "leaves no time to answer", "give at least 1ms");
  const aloneMs = raw.alone === undefined ? undefined : parseDuration(raw.alone, "slo.alone");
  if (isRefusal(aloneMs)) return aloneMs;
  if (aloneMs === 0) return refuse("invalid", "slo.alone", raw.alone!, "is zero", "give at least 1ms");
  if (aloneMs !== undefined && aloneMs > p99Ms) {
    const why = `is longer than p99: ${raw.p99}, so the promise could not be kept even without neighbours`;
    return refuse("invalid", "slo.alone", raw.alone!, why, "promise more time, or ask for a larger part");
  }
  return { aloneMs, p99Ms };
}

/** One name or several, sorted and without repeats. */
export function namesOf(raw: string | readonly string[] = []): readonly string[] {
  return [...new Set(typeof raw === "string" ? [raw] : raw)].sort();
}

/** The abilities that each GPU must have, from both fields that can name them. */
export function needsOf({ needs = none, gpus }: RawNeeds): readonly GpuNeed[] {
  const inside = typeof gpus === "object" && "needs" in gpus ? (gpus.needs ?? none) : none;
  if (needs.length + inside.length === 0) return none;
  return [...new Set([...needs, ...inside])].sort();
}

/** `1-240`, `1-240:2`, `1-240%24`, or a list such as `3,7,20-29`. */
export function parseArray(text: string | undefined, field: string): ArrayAsk | undefined | Refusal {
  if (text === undefined) return undefined;
  const [which = "", limit, ...rest] = text.split("%");
  const ranges = which.split(",").map((part) => /^(\d{1,12})(?:-(\d{1,12})(?::(\d{1,12}))?)?$/.exec(part));
  const isOne = ranges.length === 1 && ranges[0]?.[2] === undefined;
  if (rest.length > 0 || (limit !== undefined && !/^\d{1,12}$/.test(limit)) || ranges.includes(null) || isOne)
    return refuse(
      "invalid",
      field,
      text,
      "is not a range of array elements",
      "write 1-240, 1-240:2, 1-240%24 or 3,7,20-29",
    );
  const atOnceMax = limit === undefined ? undefined : Number(limit);
  const asks = ranges.map((match) => {
    const [, first, last = first, step = 1] = match!;
    return { first: Number(first), last: Number(last), step: Number(step) };
  });
  if (atOnceMax === 0 || asks.some(({ first, last, step }) => last < first || step < 1)) {
    return refuse(
      "invalid",
      field,
      text,
      "has no element",
      "write the smaller number first, with a step and a limit of at least 1",
    );
  }
  const size = asks.reduce((sum, ask) => sum + elementsOf(ask), 0);
  if (size > arraySizeMax) {
    return refuse(
      "invalid",
      field,
      text,
      `has ${size} elements (limit ${arraySizeMax})`,
      "split it into several arrays",
    );
  }
  if (asks.length === 1) return { atOnceMax, ...asks[0]! };
  const all = asks.flatMap((ask) => Array.from({ length: elementsOf(ask) }, (_, i) => elementAt(ask, i)));
  const indexes = [...new Set(all)].sort((a, b) => a - b);
  return { atOnceMax, first: indexes[0]!, last: indexes.at(-1)!, step: 1, indexes };
}
