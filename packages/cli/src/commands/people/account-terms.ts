import type { AccountEdit, GpuAmount } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import { type Command, Option } from "commander";
import { usageFailure } from "../../failure.ts";
import { egressOf } from "../../job/egress.ts";
import { idleOf } from "../../job/idle.ts";

/** Flags of `account create` and `account edit`. */
export interface TermFlags {
  readonly guarantee?: string;
  readonly max?: string;
  readonly lendable?: string;
  readonly weight?: string;
  readonly cpusGuarantee?: string;
  readonly cpusMax?: string;
  readonly memoryGuarantee?: string;
  readonly memoryMax?: string;
  readonly trust?: "confidential" | "untrusted" | "trusted";
  readonly trustGroup?: string;
  readonly allowMigWith?: string;
  readonly historyHalfLife?: string;
  readonly order?: NonNullable<AccountEdit["order"]>;
  readonly quantum?: string;
  readonly idle?: string;
  readonly overcommit?: boolean;
  readonly factor?: boolean;
  readonly gpusPerJob?: string;
  readonly runTime?: string;
  readonly defaultTime?: string;
  readonly scratch?: string;
  readonly checkpoint?: string;
  readonly outputs?: string;
  readonly outputsKept?: string;
  readonly waitingJobsPerUser?: string;
  readonly gpusPerUser?: string;
  readonly waitingJobs?: string;
  readonly jobFiles?: string;
  readonly cpuMembers?: string;
  readonly egress?: string;
  readonly gpuHours?: string;
  readonly models?: string;
  readonly types?: string;
  readonly images?: string;
}

/** Flags of `account edit` that make a change one for a time. */
export interface WindowFlags {
  readonly from?: string;
  readonly to?: string;
  readonly tz?: string;
  readonly window?: boolean;
}

/** Flags that make the change of a quota one for a time. */
export function addWindowFlags(command: Command): Command {
  const time = (flags: string, text: string) =>
    new Option(flags, text).helpGroup("For a time only (what was before comes back by itself):");
  return command
    .addOption(time("--from <time>", "such as 2026-12-01T08:00; default: now"))
    .addOption(time("--to <time>", "when what was before comes back"))
    .addOption(time("--tz <zone>", "of times without an offset, such as Europe/Berlin; default: yours"))
    .addOption(time("--no-window", "take back all changes for a time, planned or in force"));
}

/** The window that the flags ask for; null takes all back. */
export function windowOf({ from, to, tz, window }: WindowFlags, now: number): AccountEdit["window"] {
  if (window === false) return null;
  if (to === undefined) {
    if (from === undefined && tz === undefined) return undefined;
    throw usageFailure("--from and --tz need --to", "give the end, such as --to 2026-12-05T18:00");
  }
  const zone = tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { from: from ?? new Date(now).toISOString(), to, tz: zone };
}

/** What an edit starts from, so that changing one limit keeps the others. */
export interface Before {
  readonly limits?: Readonly<Record<string, unknown>>;
  readonly allowed?: Readonly<Record<string, unknown>>;
}

export function addTermFlags(command: Command): Command {
  const group = (heading: string) => (flags: string, text: string) => new Option(flags, text).helpGroup(heading);
  const quota = group("Quota (GPUs: 8, H100:4,*:2 by model, or Small:10 by size; none removes a ceiling):");
  const limit = group("Limits below the account (none removes one):");
  const allow = group("Jobs allowed below the account (separated by commas; none allows everything):");
  return command
    .addOption(quota("--guarantee <gpus>", "GPUs that are always the account's own"))
    .addOption(quota("--max <gpus>", "GPUs that it may hold at most"))
    .addOption(quota("--lendable <gpus>", "how much of the idle guarantee other accounts may borrow"))
    .addOption(quota("--weight <weight>", "share of the surplus"))
    .addOption(quota("--cpus-guarantee <count>", "guaranteed CPUs"))
    .addOption(quota("--cpus-max <count>", "CPUs at most"))
    .addOption(quota("--memory-guarantee <size>", "guaranteed memory, such as 512GiB"))
    .addOption(quota("--memory-max <size>", "memory at most"))
    .addOption(
      quota("--trust <level>", "what may be shared with other tenants").choices([
        "confidential",
        "untrusted",
        "trusted",
      ]),
    )
    .addOption(quota("--trust-group <name>", "tenants that may share a GPU with each other"))
    .addOption(
      quota(
        "--allow-mig-with <tenants>",
        "share MIG GPUs with these tenants, trusted or not, if they allow it too; or none",
      ),
    )
    .addOption(
      quota(
        "--history-half-life <duration>",
        "count past borrowing of the accounts below, halved after each such time",
      ),
    )
    .addOption(
      quota("--order <rule>", "which of its waiting jobs of equal priority goes first").choices([
        "age",
        "aged-shortest",
        "attained-service",
      ]),
    )
    .addOption(
      quota("--quantum <duration>", "let attained-service evict at equal priority, checked this often; or none"),
    )
    .addOption(
      limit(
        "--idle <rule>",
        "what is done with jobs whose GPUs are idle: 45m,5%,stop; relax lets jobs be milder; none",
      ),
    )
    .addOption(quota("--overcommit", "guarantees below may exceed the guarantee above"))
    .addOption(quota("--no-overcommit", "guarantees below may not exceed the guarantee above"))
    .addOption(quota("--factor", "everyone with a role here or below needs a second factor"))
    .addOption(quota("--no-factor", "the policy decides who needs a second factor"))
    .addOption(limit("--gpus-per-job <count>", "GPUs of one job"))
    .addOption(limit("--run-time <duration>", "run time of one job, such as 24h"))
    .addOption(limit("--default-time <duration>", "max_time of jobs that give none, except services"))
    .addOption(limit("--waiting-jobs-per-user <count>", "waiting jobs of one user"))
    .addOption(limit("--gpus-per-user <count>", "GPUs that one user holds"))
    .addOption(limit("--waiting-jobs <count>", "waiting jobs of the whole tenant"))
    .addOption(limit("--job-files <size>", "job files of the tenant's live jobs, in memory"))
    .addOption(limit("--cpu-members <count>", "members without GPUs that the tenant runs at a time"))
    .addOption(limit("--scratch <size>", "work and temporary files of one member, such as 200GiB"))
    .addOption(limit("--checkpoint <size>", "files below $TESS_CHECKPOINT of one job"))
    .addOption(limit("--outputs <size>", "kept outputs of all jobs here and below"))
    .addOption(limit("--outputs-kept <duration>", "how long outputs are kept after the end of their job, such as 30d"))
    .addOption(
      limit("--egress <where>", "what jobs reach: none, declared, all, or targets such as pypi.org:443,10.0.0.7:5432"),
    )
    .addOption(limit("--gpu-hours <hours/period>", "GPU-hours per period, such as 1000/7d"))
    .addOption(allow("--models <models>", "GPU models, such as H100,A100"))
    .addOption(allow("--types <types>", "job types, such as train,batch"))
    .addOption(allow("--images <prefixes>", "images, by how they begin"));
}

/** The body that the flags ask for; only what was given. */
export function termsOf(flags: TermFlags, before: Before = {}): AccountEdit {
  const terms: Record<string, unknown> = {
    guarantee: flags.guarantee === undefined ? undefined : (amountOf("--guarantee", flags.guarantee) ?? 0),
    max: flags.max === undefined ? undefined : amountOf("--max", flags.max),
    lendable: flags.lendable === undefined ? undefined : amountOf("--lendable", flags.lendable),
    weight: flags.weight === undefined ? undefined : wholeOf("--weight", flags.weight),
    cpus: halvesOf({
      guarantee: numberOf("--cpus-guarantee", flags.cpusGuarantee),
      max: numberOf("--cpus-max", flags.cpusMax),
    }),
    memoryMiB: halvesOf({
      guarantee: mibOf("--memory-guarantee", flags.memoryGuarantee),
      max: mibOf("--memory-max", flags.memoryMax),
    }),
    trust: flags.trust,
    trustGroup: flags.trustGroup === "none" ? null : flags.trustGroup,
    allowMigWith: flags.allowMigWith === "none" ? [] : flags.allowMigWith?.split(","),
    historyHalfLife: durationOf("--history-half-life", flags.historyHalfLife),
    order: flags.order,
    quantum: durationOf("--quantum", flags.quantum),
    idle: flags.idle === undefined ? undefined : flags.idle === "none" ? null : idleOf(flags.idle, true),
    overcommit: flags.overcommit,
    factor: flags.factor,
    limits: merged(before.limits, {
      gpusPerJob: wholeOf("--gpus-per-job", flags.gpusPerJob),
      runTime: durationOf("--run-time", flags.runTime),
      defaultTime: durationOf("--default-time", flags.defaultTime),
      waitingJobsPerUser: wholeOf("--waiting-jobs-per-user", flags.waitingJobsPerUser),
      gpusPerUser: wholeOf("--gpus-per-user", flags.gpusPerUser),
      waitingJobs: wholeOf("--waiting-jobs", flags.waitingJobs),
      jobFilesMiB: mibOf("--job-files", flags.jobFiles),
      cpuMembers: wholeOf("--cpu-members", flags.cpuMembers),
      scratchMiB: mibOf("--scratch", flags.scratch),
      checkpointMiB: mibOf("--checkpoint", flags.checkpoint),
      outputsMiB: mibOf("--outputs", flags.outputs),
      outputsKept: durationOf("--outputs-kept", flags.outputsKept),
      egress: egressOf(flags.egress),
      gpuHours: gpuHoursOf(flags.gpuHours),
    }),
    allowed: merged(before.allowed, {
      models: listOf(flags.models),
      types: listOf(flags.types),
      images: listOf(flags.images),
    }),
  };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)) as AccountEdit;
}

/** Each half on its own: what was not given stays as it is, null takes it away. */
function halvesOf(given: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const halves = Object.entries(given).filter(([, value]) => value !== undefined);
  return halves.length === 0 ? undefined : Object.fromEntries(halves);
}

/** Inner fields: undefined keeps what was, null takes it away. Nothing at all when none of them was given. */
function merged(
  before: Readonly<Record<string, unknown>> = {},
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const changes = Object.entries(given).filter(([, value]) => value !== undefined);
  if (changes.length === 0) return undefined;
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(changes) }).filter(([, value]) => value !== null),
  );
}

/** `8`, `H100:4`, `H100:4,*:2`; null for `none`. */
export function amountOf(flag: string, text: string): GpuAmount | null {
  if (text === "none") return null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const amounts: Record<string, number> = {};
  for (const part of text.split(",")) {
    const [, model, gpus] = /^\s*([^:\s]+):(\d+(?:\.\d+)?)\s*$/.exec(part) ?? [];
    if (model === undefined)
      throw usageFailure(`${flag} must be an amount of GPUs, got "${part}"`, "write 8, H100:4 or H100:4,*:2");
    amounts[model] = Number(gpus);
  }
  return amounts;
}

const unitsMiB: Readonly<Record<string, number>> = { M: 1, MIB: 1, G: 1024, GIB: 1024, T: 1024 ** 2, TIB: 1024 ** 2 };

function mibOf(flag: string, text: string | undefined): number | null | undefined {
  if (text === undefined || text === "none") return text === undefined ? undefined : null;
  const [, amount, unit = "MiB"] = /^(\d+(?:\.\d+)?)\s?([A-Za-z]*)$/.exec(text) ?? [];
  const factor = unitsMiB[(unit === "" ? "MiB" : unit).toUpperCase()];
  if (amount !== undefined && factor !== undefined) return Math.round(Number(amount) * factor);
  throw usageFailure(`${flag} must be a size, got "${text}"`, "such as 512GiB");
}

function wholeOf(flag: string, text: string | undefined): number | null | undefined {
  if (text === undefined || text === "none") return text === undefined ? undefined : null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageFailure(`${flag} must be a whole number, got "${text}"`);
}

function numberOf(flag: string, text: string | undefined): number | null | undefined {
  if (text === undefined || text === "none") return text === undefined ? undefined : null;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw usageFailure(`${flag} must be a number, got "${text}"`);
}

function durationOf(flag: string, text: string | undefined): string | null | undefined {
  if (text === undefined || text === "none") return text === undefined ? undefined : null;
  if (readDuration(text) !== undefined) return text;
  throw usageFailure(`${flag} must be a duration, got "${text}"`, "such as 24h");
}

function gpuHoursOf(text: string | undefined): { max: number; every: string } | null | undefined {
  if (text === undefined || text === "none") return text === undefined ? undefined : null;
  const [, max, every] = /^(\d+(?:\.\d+)?)\/(.+)$/.exec(text) ?? [];
  if (max !== undefined && every !== undefined && readDuration(every) !== undefined) return { max: Number(max), every };
  throw usageFailure(`--gpu-hours must be hours per period, got "${text}"`, "such as 1000/7d");
}

function listOf(text: string | undefined): string[] | null | undefined {
  if (text === undefined || text === "none") return text === undefined ? undefined : null;
  return text.split(",").map((part) => part.trim());
}
