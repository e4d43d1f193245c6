import type { Account } from "@tessera/wire";
import type { Column } from "../output/column.ts";
import { fieldsText, objectFields } from "../output/fields.ts";
import { amountsText, memoryText, numberText, sumOf } from "../output/gpus.ts";
import { instantText } from "../output/time.ts";
import type { Paint } from "../terminal.ts";
import type { Noun } from "./noun.ts";

export function pathText({ path }: Pick<Account, "path">): string {
  return path === "" ? "(platform)" : path;
}

const path: Column<Account> = { name: "path", text: pathText, raw: (each) => each.path };
const quotaColumns: readonly Column<Account>[] = [
  {
    name: "guarantee",
    text: ({ guarantee }) => amountsText(guarantee),
    raw: ({ guarantee }) => sumOf(guarantee),
    right: true,
  },
  { name: "used", text: ({ used }) => numberText(used.gpus), raw: ({ used }) => used.gpus, right: true },
  {
    name: "borrowed",
    text: ({ used }) => numberText(used.borrowed),
    raw: ({ used }) => used.borrowed,
    style: ({ used }) => (used.borrowed > 0 ? "yellow" : undefined),
    right: true,
  },
  {
    name: "max",
    text: ({ max }) => amountsText(max),
    raw: ({ max }) => (max === undefined ? undefined : sumOf(max)),
    right: true,
  },
  { name: "lendable", text: ({ lendable }) => amountsText(lendable, "all"), right: true },
  { name: "weight", text: ({ weight }) => String(weight), raw: ({ weight }) => weight, right: true },
];
const jobs: Column<Account> = {
  name: "jobs",
  text: ({ liveJobs }) => String(liveJobs),
  raw: ({ liveJobs }) => liveJobs,
  right: true,
};

export const account: Noun<Account> = {
  name: "account",
  plural: "accounts",
  watch: "listAccounts",
  nameOf: (each) => each.path,
  keyOf: ({ id }) => id,
  examples: ["tess account get", "tess get account lab/vision -o yaml", "tess account get --under lab -o wide"],
  columns: [
    path,
    ...quotaColumns.slice(0, 4),
    jobs,
    { name: "trust", text: ({ trust }) => trust },
    ...quotaColumns.slice(4).map((column) => ({ ...column, wide: true as const })),
    { name: "cpus", text: (each) => `${numberText(each.used.cpus)}/${each.cpus.max ?? "-"}`, wide: true, right: true },
    {
      name: "memory",
      text: (each) =>
        `${memoryText(each.used.memoryMiB)}/${each.memoryMiB.max === undefined ? "-" : memoryText(each.memoryMiB.max)}`,
      wide: true,
      right: true,
    },
    { name: "id", text: ({ id }) => id, wide: true },
    {
      name: "note",
      text: (each) => [each.overcommitted && "overcommitted", overMaxText(each)].filter(Boolean).join(", "),
      style: () => "red",
    },
  ],
  addFilters(command) {
    command.option("--under <account>", "this account and what is below it");
  },
  async queryOf({ under }) {
    return under === undefined ? {} : { under };
  },
  page: (api, query) => api.call("listAccounts", { query }),
  load: async (session, name) => (await session.api()).call("getAccount", { at: { account: name } }),
  around: (each) => (each.path === "" ? {} : { under: each.path }),
  describe: describeAccount,
};

/** `2 H100 above max`: jobs that ran before the max was lowered keep their GPUs. Empty where nothing is above it. */
export function overMaxText({ max, used }: Account): string {
  const over = Object.entries(max ?? {}).flatMap(([model, most]) => {
    const more = (model === "*" ? used.gpus : (used.byModel[model] ?? 0)) - most;
    return more > 0 ? [`${numberText(more)}${model === "*" ? "" : ` ${model}`}`] : [];
  });
  return over.length === 0 ? "" : `${over.join(", ")} above max`;
}

/** Accounts by what they are promised and hold. */
export const quota: Noun<Account> = {
  ...account,
  name: "quota",
  plural: "quotas",
  examples: ["tess quota", "tess quota tree", "tess get quota lab/vision"],
  columns: [path, ...quotaColumns, jobs, ...account.columns.filter(({ name }) => name === "note")],
};

function windowText({ from, to, state, refused, quota }: NonNullable<Account["windows"]>[number]): string {
  const changes = objectFields(quota).map(([name, value]) => `${name.replace(/\.\*$/, "")} ${value}`);
  const why = refused === undefined ? "" : `: ${refused}`;
  return `${instantText(from)} to ${instantText(to)}, ${state}${why}: ${changes.join(", ")}`;
}

type Sizes = Readonly<Record<string, number>> | undefined;

/** The same in the owner's sizes: as it was given, else how many of each it would hold. */
function sizesText(given: Sizes, holds?: Sizes): string {
  const list = (sizes: NonNullable<Sizes>, word: string) =>
    Object.entries(sizes)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${count} ${name}`)
      .join(word);
  if (given !== undefined) return ` GPUs, given as ${list(given, " + ")}`;
  const held = list(holds ?? {}, " or ");
  return held === "" ? "" : ` GPUs, room for ${held}`;
}

function describeAccount(each: Account, paint: Paint): string {
  const { gpus, borrowed, byModel } = each.used;
  const range = (given: { guarantee?: number; max?: number }, text: (value: number) => string) =>
    [
      given.guarantee === undefined ? "" : `${text(given.guarantee)} guaranteed`,
      given.max === undefined ? "" : `at most ${text(given.max)}`,
    ]
      .filter((part) => part !== "")
      .join(", ");
  return `${paint("bold", pathText(each))}${each.overcommitted ? `  ${paint("red", "overcommitted")}` : ""}\n${fieldsText(
    [
      ["Id", each.id],
      ["Tenant", each.tenant],
      ["Guarantee", `${amountsText(each.guarantee)}${sizesText(each.guaranteeSizes, each.guaranteeHolds)}`],
      ["Max", `${amountsText(each.max, "none")}${sizesText(each.maxSizes)}`],
      ["Lendable", amountsText(each.lendable, "all")],
      ["Weight", String(each.weight)],
      [
        "Used",
        gpus === 0 ? "0" : `${amountsText(byModel)}${borrowed > 0 ? ` (${numberText(borrowed)} borrowed)` : ""}`,
      ],
      [
        "CPUs",
        [`${numberText(each.used.cpus)} used`, range(each.cpus, numberText)].filter((part) => part !== "").join(", "),
      ],
      [
        "Memory",
        [`${memoryText(each.used.memoryMiB)} used`, range(each.memoryMiB, memoryText)]
          .filter((part) => part !== "")
          .join(", "),
      ],
      ["Trust", each.trust + (each.trustGroup === undefined ? "" : `, group ${each.trustGroup}`)],
      ["Shares MIG with", each.allowMigWith?.join(", ")],
      ["History", each.historyHalfLife === undefined ? undefined : `half-life ${each.historyHalfLife}`],
      ["Borrowed before", each.used.borrowedBefore === undefined ? undefined : numberText(each.used.borrowedBefore)],
      ["Idle jobs", each.idle === undefined ? undefined : idleText(each.idle)],
      ["Order", each.order + (each.quantum === undefined ? "" : `, may evict, looked at every ${each.quantum}`)],
      ...(each.windows ?? []).map((window) => ["Window", windowText(window)] as const),
      ["Second factor", each.factor ? "needed by everyone here and below" : undefined],
      ["Overcommit", each.overcommit ? "allowed" : undefined],
      ["Live jobs", String(each.liveJobs)],
      ...objectFields(each.limits, "Limit"),
      ...objectFields(each.allowed, "Allowed"),
    ],
    paint,
    "  ",
  )}`;
}

function idleText({ gpu_below: below, for: time, do: act, relax }: NonNullable<Account["idle"]>): string {
  return `${act} after ${time} below ${below}${relax ? ", jobs may be milder" : ""}`;
}
