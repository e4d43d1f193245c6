import type { PolicyPut, PolicyShape } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import { type Numbers, numberBounds, numberWords } from "@tessera/wire/numbers";
import { roles } from "@tessera/wire/roles";
import { readWhole } from "../../format/decimal.ts";
import { readPairs, readWords, writePairs } from "../../format/pairs.ts";

type Key = Exclude<keyof PolicyPut, "max">;

interface Plain {
  readonly key: Key;
  readonly label: string;
  /** What follows from it. */
  readonly hint: string;
}
/** One field of the policy: how it is typed, and what follows from it. */
export type PolicyField = Plain &
  (
    | { readonly as: "choice"; readonly of: Readonly<Record<string, string>> }
    /** `word` is what may stand instead of a duration. */
    | { readonly as: "duration"; readonly word?: string }
    | { readonly as: "number"; readonly most: number }
    | { readonly as: "roles" }
    | { readonly as: "pairs" }
  );

interface Group {
  readonly title: string;
  readonly fields: readonly PolicyField[];
}

const onOff = (on: string, off: string) => ({ on, off });

/** Every field of the policy but its numbers, as the form shows them. */
export const policyGroups: readonly Group[] = [
  {
    title: "Eviction and planning",
    fields: [
      {
        ...{ key: "rebalance", as: "choice", label: "Evict for a fair share of the surplus" },
        of: { on: "any borrowed job", checkpointed: "only jobs with a checkpoint", off: "no job" },
        hint: "the owner of borrowed GPUs takes them back in any case",
      },
      {
        ...{ key: "minRuntime", as: "duration", label: "Do not evict a job that started less than this ago" },
        hint: "the owner of borrowed GPUs still may",
      },
      {
        ...{ key: "grace", as: "duration", label: "Grace period of jobs without a checkpoint" },
        hint: "how long a job may take to leave",
      },
      {
        ...{ key: "graceMax", as: "duration", label: "Longest grace that a job may ask for" },
        hint: "the owner of its GPUs waits at most this long",
      },
      {
        ...{ key: "backfill", as: "choice", label: "Plan jobs that cannot start yet" },
        of: { true: "yes: others start only where that delays no planned job", false: "no" },
        hint: "no: large jobs can wait forever",
      },
      {
        ...{ key: "movesPerHourMax", as: "number", most: 1_000_000, label: "Moves per hour, at most" },
        hint: "jobs that may be moved to make room for another on one node; 0: none",
      },
      {
        ...{ key: "lostWork", as: "duration", word: "grace", label: "Longest lost work that is credited" },
        hint: "after an eviction; grace: as long as the job's grace",
      },
    ],
  },
  {
    title: "GPUs and nodes",
    fields: [
      {
        ...{ key: "scrub", as: "duration", word: "off", label: "Clear a GPU before another tenant gets it" },
        hint: "about how long that takes; off: it is not cleared",
      },
      {
        ...{ key: "reshape", as: "duration", word: "off", label: "Time to divide an idle GPU differently" },
        hint: "off: not counted",
      },
      {
        ...{ key: "acceptance", as: "choice", label: "New nodes with real GPUs" },
        of: onOff("get work after they passed the checks", "get work at once"),
        hint: "applies to nodes that come from now on",
      },
      {
        ...{ key: "checkEvery", as: "duration", word: "off", label: "Check idle nodes every" },
        hint: "off: never; a check holds the node while it runs",
      },
      {
        ...{ key: "sizes", as: "pairs", label: "Sizes" },
        hint: "names for parts and GPUs, such as Small=1g.10gb Full=H100:1",
      },
    ],
  },
  {
    title: "Signing in",
    fields: [
      {
        ...{ key: "passwords", as: "choice", label: "Passwords" },
        of: onOff("people may sign in with them", "off: once there is a provider, people sign in with it"),
        hint: "the owner's token still works",
      },
      {
        ...{ key: "tokenLife", as: "duration", word: "off", label: "Longest life of new tokens" },
        hint: "such as 90d; off: no limit. Tokens that exist stay",
      },
      {
        ...{ key: "sessionIdle", as: "duration", label: "A session ends when not used for" },
        hint: "people sign in again",
      },
      { ...{ key: "sessionLife", as: "duration", label: "A session ends after" }, hint: "even when it is used" },
      {
        ...{ key: "factorRoles", as: "roles", label: "Roles that need a second factor" },
        hint: "default: those of the whole platform, where others than this machine can connect; none; or names of roles. People without one are asked to add it at once",
      },
    ],
  },
  {
    title: "What is kept",
    fields: [
      {
        ...{ key: "snapshotFilesMax", as: "number", most: 100_000, label: "Files in a folder sent with a job" },
        hint: "a larger folder is refused",
      },
      {
        ...{ key: "snapshotMiBMax", as: "number", most: 1_048_576, label: "MiB in a folder sent with a job" },
        hint: "a larger folder is refused",
      },
      {
        ...{ key: "contentMiBMax", as: "number", most: 1_073_741_824, label: "MiB kept for one tenant" },
        hint: "code and outputs; beyond it new ones are refused",
      },
    ],
  },
];

const allFields = policyGroups.flatMap(({ fields }) => fields);

/** The policy as texts by field; a number of the owner is under `max.NAME`. */
export type PolicyTexts = Readonly<Record<string, string>>;

export function textsOf(policy: PolicyShape): PolicyTexts {
  const texts: Record<string, string> = {};
  for (const field of allFields) texts[field.key] = textOf(field, policy[field.key]);
  for (const name of Object.keys(numberWords)) texts[`max.${name}`] = String(policy.max?.[name as keyof Numbers] ?? "");
  return texts;
}

function textOf(field: PolicyField, value: PolicyPut[Key]): string {
  if (field.as === "pairs") return writePairs((value ?? {}) as Record<string, string>);
  if (field.as === "roles") return value === undefined ? "default" : (value as string[]).join(", ") || "none";
  if (value !== undefined) return String(value);
  if (field.as === "duration") return field.word ?? "";
  return field.as === "choice" ? Object.keys(field.of).at(-1)! : "";
}

/** What was typed as the API takes it, or what is wrong, by field. Empty fields are left out. */
export function readPolicy(
  texts: PolicyTexts,
  locale?: string,
): { body: PolicyPut } | { wrong: Readonly<Record<string, string>> } {
  const wrong: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  for (const field of allFields) {
    const read = readField(field, (texts[field.key] ?? "").trim(), locale);
    if ("wrong" in read) wrong[field.key] = read.wrong;
    else if (read.value !== undefined) body[field.key] = read.value;
  }
  const max: Record<string, number> = {};
  for (const [name, { least, most }] of Object.entries(numberBounds)) {
    const text = (texts[`max.${name}`] ?? "").trim();
    if (text === "") continue;
    const read = readWhole(text, { least, most }, locale);
    if ("wrong" in read) wrong[`max.${name}`] = read.wrong;
    else max[name] = read.value;
  }
  if (Object.keys(max).length > 0) body.max = max;
  return Object.keys(wrong).length > 0 ? { wrong } : { body: body as PolicyPut };
}

type Read = { readonly value: unknown } | { readonly wrong: string };

function readField(field: PolicyField, text: string, locale?: string): Read {
  switch (field.as) {
    case "choice":
      return { value: field.key === "backfill" ? text === "true" : text };
    case "duration": {
      if (text === "" || text === field.word || readDuration(text) !== undefined)
        return { value: text === "" ? undefined : text };
      return { wrong: `${text} is not a duration: type 90s, 5m or 2h${field.word ? `, or ${field.word}` : ""}.` };
    }
    case "number": {
      if (text === "") return { value: undefined };
      return readWhole(text, { least: 0, most: field.most }, locale);
    }
    case "roles": {
      if (text === "default" || text === "") return { value: undefined };
      if (text === "none") return { value: [] };
      const words = readWords(text);
      const unknown = words.find((word) => !(roles as readonly string[]).includes(word));
      return unknown === undefined ? { value: words } : { wrong: `${unknown} is not a role: use ${roles.join(", ")}.` };
    }
    case "pairs": {
      const read = readPairs(text);
      if ("wrong" in read) return read;
      return { value: Object.keys(read.pairs).length === 0 ? undefined : read.pairs };
    }
  }
}

/** `Grace period of jobs without a checkpoint: 30s → 1m`, for each field that differs. */
export function changesOf(before: PolicyTexts, now: PolicyTexts): string[] {
  const words = (key: string) =>
    allFields.find((field) => field.key === key)?.label ?? numberWords[key.slice(4) as keyof Numbers] ?? key;
  return Object.keys(before)
    .filter((key) => before[key] !== now[key])
    .map((key) => `${words(key)}: ${before[key] || "not said"} → ${now[key] || "not said"}`);
}
