import { resolve } from "node:path";
import { readDuration } from "@tessera/wire/duration";
import { type Command, Option } from "commander";
import { usageFailure } from "../failure.ts";
import type { Session } from "../session.ts";
import { egressOf } from "./egress.ts";
import { idleOf } from "./idle.ts";
import { labelsOf } from "./labels.ts";
import { noFolder, type Spec, withFolderToSend } from "./spec-file.ts";

/** Flags of `run` and `apply` that stand for fields of the job. */
export interface SpecFlags {
  readonly name?: string;
  readonly gpus?: string[];
  readonly needs?: string[];
  readonly model?: string;
  readonly precision?: string;
  readonly tuning?: string;
  readonly frames?: string;
  readonly video?: string;
  readonly nodes?: string;
  readonly members?: string;
  readonly topology?: string;
  readonly spread?: string;
  readonly apartFrom?: string[];
  readonly engine?: string;
  readonly region?: string;
  readonly where?: string[];
  readonly label?: string[];
  readonly cpus?: string;
  readonly memory?: string;
  readonly shm?: string;
  readonly scratch?: string;
  readonly gpuMemory?: string;
  readonly gpuCompute?: string;
  readonly maxTime?: string;
  readonly expectedTime?: string;
  readonly maxPrice?: string;
  readonly budget?: string;
  readonly deadline?: string;
  readonly notBefore?: string;
  readonly tz?: string;
  readonly priority?: string;
  readonly preemptible?: boolean;
  readonly retry?: string;
  readonly array?: string;
  readonly after?: string[];
  readonly env?: string[];
  readonly secret?: string[];
  readonly image?: string;
  readonly workdir?: string;
  readonly inPlace?: boolean;
  readonly isolation?: string;
  readonly slo?: string;
  readonly idle?: string;
  readonly egress?: string;
  readonly strict?: boolean;
  readonly type?: string;
}

const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];

export function addSpecFlags(command: Command): Command {
  const field = (flags: string, text: string) => new Option(flags, text).helpGroup("Fields of the job:");
  return command
    .addOption(field("--name <name>", "name of the job"))
    .addOption(field("--type <type>", "train, service, notebook or batch"))
    .addOption(
      field("--gpus <gpus>", "per member: H100:8, 8 of any model, or H100:8,A100:8 in order of preference").argParser(
        collect,
      ),
    )
    .addOption(field("--needs <what>", "each GPU must have rt, nvenc or nvdec; may be repeated").argParser(collect))
    .addOption(field("--model <size>", "serve or train a model, GPUs are chosen to hold it: 7B, llama-3.1-70b"))
    .addOption(field("--precision <bits>", "of the model that is served: fp16, fp8, int8, int4"))
    .addOption(field("--tuning <kind>", "how the model is trained: full, lora or qlora"))
    .addOption(field("--frames <range>", "render frames, each on a GPU of its own: 1-240, or 1-240%24"))
    .addOption(field("--video <length>", "encode this much footage in segments, such as 90m"))
    .addOption(field("--nodes <count>", "members on different nodes: 4, or 4..8"))
    .addOption(field("--members <count>", "members that may share nodes: 4, or 4..8"))
    .addOption(
      field(
        "--topology <level>",
        "all members in one region, zone, block, rack, nvlink or node; rack? prefers it only",
      ),
    )
    .addOption(
      field("--spread <level>", "members in different regions, zones, blocks, racks or nodes; rack? prefers it only"),
    )
    .addOption(
      field(
        "--apart-from <name>",
        "share no node with jobs of this name in the same account; may be repeated",
      ).argParser(collect),
    )
    .addOption(field("--engine <engine>", "only on nodes of this engine; tess engine get lists them"))
    .addOption(field("--region <region>", "only on nodes of this region"))
    .addOption(
      field("--where <key=value>", "only on nodes with this label; may be repeated, all must match").argParser(collect),
    )
    .addOption(field("--label <key=value>", "a label to find it by; may be repeated").argParser(collect))
    .addOption(field("--cpus <count>", "CPUs per member"))
    .addOption(field("--memory <size>", "memory per member, such as 64GiB"))
    .addOption(field("--shm <size>", "size of /dev/shm, counted in memory, such as 16GiB"))
    .addOption(field("--scratch <size>", "work and temporary files per member, such as 100GiB"))
    .addOption(field("--gpu-memory <size>", "memory that each GPU must have, such as 40GiB"))
    .addOption(field("--gpu-compute <percent>", "part of each GPU, such as 30%"))
    .addOption(field("--max-time <duration>", "stop it after this long, such as 90m"))
    .addOption(
      field("--expected-time <duration>", "how long it will probably run; not a limit, but helps it start sooner"),
    )
    .addOption(field("--max-price <amount>", "wait while an hour of a GPU beyond the guarantee costs more than this"))
    .addOption(field("--budget <amount>", "stop it when it has cost this much"))
    .addOption(field("--deadline <time>", "end the job if it is not done by this time (ISO 8601)"))
    .addOption(field("--not-before <time>", "do not start earlier (ISO 8601)"))
    .addOption(field("--tz <zone>", "zone of these times, such as Europe/Berlin"))
    .addOption(field("--priority <priority>", "low, normal, high or a whole number"))
    .addOption(field("--preemptible", "may be preempted and started again later"))
    .addOption(field("--no-preemptible", "may not be preempted; starts only inside a guarantee"))
    .addOption(field("--retry <count>", "start again after a failure, at most this often"))
    .addOption(field("--array <range>", "elements: 1-240, 1-240:2, or 1-240%24 for 24 at a time"))
    .addOption(
      field(
        "--after <job>",
        "start after this job has succeeded; JOB:ended starts after it has ended; may be repeated",
      ).argParser(collect),
    )
    .addOption(
      field(
        "--env <name=value>",
        "environment variable; a name alone copies your own value; may be repeated",
      ).argParser(collect),
    )
    .addOption(field("--secret <name>", "secret to put into the environment; may be repeated").argParser(collect))
    .addOption(field("--image <image>", "container image"))
    .addOption(
      field(
        "--workdir <folder>",
        "folder to send with the job instead of this one, or none; /folder is one of the node",
      ),
    )
    .addOption(field("--in-place", "run in this folder itself, if the user of the job may write in it"))
    .addOption(field("--isolation <level>", "whole, mig, mps, timeslice or any"))
    .addOption(
      field("--slo <p99>", "p99 latency to protect from neighbours: 250ms, or 250ms,100ms with its latency alone"),
    )
    .addOption(field("--idle <rule>", "stop it when its GPUs are idle for so long: 45m, or 45m,5%,suspend"))
    .addOption(
      field("--egress <where>", "what it reaches: none, declared, all, or targets such as pypi.org:443,10.0.0.7:5432"),
    )
    .addOption(field("--strict", "refuse to start where a limit cannot be enforced"));
}

/** The fields that the flags give; they win over what the file says. */
export function specOfFlags(flags: SpecFlags, session: Session): Spec {
  const spec: Spec = {
    name: flags.name,
    type: flags.type,
    gpus: flags.gpus === undefined ? undefined : gpusOf(flags.gpus),
    needs: flags.needs?.flatMap((text) => text.split(",")),
    model: modelOf(flags),
    frames: flags.frames,
    video: durationOf("--video", flags.video),
    nodes: countOf("--nodes", flags.nodes),
    members: countOf("--members", flags.members),
    topology: flags.topology,
    spread: flags.spread,
    apart_from: flags.apartFrom?.flatMap((text) => text.split(",")).filter((each) => each !== ""),
    engine: flags.engine,
    region: flags.region,
    where: flags.where === undefined ? undefined : labelsOf("--where", flags.where),
    labels: flags.label === undefined ? undefined : labelsOf("--label", flags.label),
    cpus: numberOf("--cpus", flags.cpus),
    memory: sizeOf(flags.memory),
    shm: sizeOf(flags.shm),
    scratch: sizeOf(flags.scratch),
    gpu_memory: sizeOf(flags.gpuMemory),
    gpu_compute: flags.gpuCompute,
    max_time: durationOf("--max-time", flags.maxTime),
    expected_time: durationOf("--expected-time", flags.expectedTime),
    max_price: flags.maxPrice,
    budget: flags.budget,
    deadline: flags.deadline,
    not_before: flags.notBefore,
    tz: flags.tz,
    priority: priorityOf(flags.priority),
    preemptible: flags.preemptible,
    retry: wholeOf("--retry", flags.retry),
    array: flags.array,
    after: flags.after?.map(afterOf),
    env: flags.env === undefined ? undefined : envOf(flags.env, session),
    secrets: flags.secret,
    image: flags.image,
    workdir: workdirOf(flags, session),
    isolation: flags.isolation,
    slo: sloOf(flags.slo),
    idle: flags.idle === undefined ? undefined : idleOf(flags.idle, false),
    egress: egressOf(flags.egress),
    strict: flags.strict,
  };
  const given = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
  return withFolderToSend(given, session.terminal.cwd, session);
}

const joinedFields = ["env", "where", "labels"] as const;

/** A file's fields under those of the flags; environments and labels are joined, everything else is replaced. */
export function overlay(spec: Spec, flags: Spec): Spec {
  const joined = { ...spec, ...flags };
  for (const field of joinedFields) {
    const [below, above] = [spec[field], flags[field]];
    if (isRecord(below) && isRecord(above)) joined[field] = { ...below, ...above };
  }
  return joined;
}

/** `none` is no folder at all: the job starts in an empty one. */
function workdirOf({ workdir, inPlace }: SpecFlags, { terminal }: Session): unknown {
  if (inPlace && workdir === "none") throw usageFailure("--in-place and --workdir none cannot be used together");
  if (inPlace) return { in_place: resolve(terminal.cwd, workdir ?? ".") };
  return workdir === "none" ? noFolder : workdir;
}

function gpusOf(given: readonly string[]): unknown {
  const choices = given
    .flatMap((text) => text.split(","))
    .map((text) => {
      const trimmed = text.trim();
      if (trimmed === "")
        throw usageFailure(`--gpus has an empty choice in "${given.join(",")}"`, "such as H100:8 or 8");
      return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
    });
  return choices.length === 1 ? choices[0] : choices;
}

function modelOf({ model: name, precision, tuning }: SpecFlags): unknown {
  const rest = { ...(precision !== undefined && { precision }), ...(tuning !== undefined && { tuning }) };
  if (Object.keys(rest).length === 0) return name;
  if (name === undefined)
    throw usageFailure(`--${Object.keys(rest)[0]} needs --model`, "add a model, such as --model 7B");
  return { name, ...rest };
}

function countOf(flag: string, text: string | undefined): number | string | undefined {
  if (text === undefined || /^\d+\.\.\d+$/.test(text)) return text;
  return wholeOf(flag, text);
}

function wholeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageFailure(`${flag} must be a whole number, got "${text}"`);
}

function numberOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text);
  throw usageFailure(`${flag} must be a number, got "${text}"`);
}

/** A plain number is MiB, as in the file. */
function sizeOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
}

function durationOf(flag: string, text: string | undefined): string | undefined {
  if (text === undefined || readDuration(text) !== undefined) return text;
  if (/^\d+$/.test(text)) throw usageFailure(`${flag} ${text} has no unit`, `write ${text}s, ${text}m or ${text}h`);
  throw usageFailure(`${flag} must be a duration, got "${text}"`, "such as 90m, 2h30m or 1d");
}

function sloOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  const [p99, alone, ...more] = text.split(",").map((each) => durationOf("--slo", each.trim()));
  if (more.length > 0) throw usageFailure(`--slo takes one or two durations, got "${text}"`, "such as 250ms,100ms");
  return { p99, ...(alone !== undefined && { alone }) };
}

function priorityOf(text: string | undefined): number | string | undefined {
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : text;
}

function afterOf(text: string): unknown {
  const [, job, when] = /^(.+):(succeeded|ended)$/.exec(text) ?? [];
  return job === undefined ? text : { job, when };
}

function envOf(given: readonly string[], { terminal }: Session): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const equals = text.indexOf("=");
      if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
      const own = terminal.env[text];
      if (equals < 0 && own !== undefined) return [text, own];
      throw usageFailure(
        `--env ${text} has no value`,
        `write --env ${text.replace(/=$/, "")}=value, or set it in your own environment`,
      );
    }),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
