import { nearestName, numberWords, type PolicyPut, type PolicyShape } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import { roles } from "@tessera/wire/roles";
import { type Command, Option } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { emitObject } from "../../output/emit.ts";
import { fieldsText } from "../../output/fields.ts";
import type { Session } from "../../session.ts";

interface PolicyFlags {
  readonly rebalance?: PolicyPut["rebalance"];
  readonly minRuntime?: string;
  readonly grace?: string;
  readonly graceMax?: string;
  readonly backfill?: boolean;
  readonly movesPerHour?: string;
  readonly scrub?: string;
  readonly reshape?: string;
  readonly snapshotFiles?: string;
  readonly snapshotMib?: string;
  readonly contentMib?: string;
  readonly lostWork?: string;
  readonly acceptance?: "on" | "off";
  readonly checkEvery?: string;
  readonly factorRoles?: string;
  readonly sessionIdle?: string;
  readonly sessionLife?: string;
  readonly passwords?: "on" | "off";
  readonly tokenLife?: string;
  readonly max?: string[];
  readonly size?: string[];
}

export function define(command: Command, session: Session): void {
  examples(command.description("Shows and changes the fleet owner's rules for eviction and planning."), [
    "tess policy get",
    "tess policy set --rebalance off",
  ]);

  const get = command.command("get").summary("show the policy").description("Shows the policy.");
  examples(get, ["tess policy get", "tess policy get -o json"]);
  get.action(async () => show(session, await (await session.api()).call("getPolicy")));

  const set = command
    .command("set")
    .summary("change the policy")
    .description("Changes the given fields only. Refused if another user changed the policy in the meantime.")
    .addOption(
      new Option(
        "--rebalance <who>",
        "evict for a fair share of the surplus: any burst job, only jobs with checkpoints, or none",
      ).choices(["on", "checkpointed", "off"]),
    )
    .option(
      "--min-runtime <duration>",
      "do not evict a job within this time of its start; the owner of borrowed GPUs still may",
    )
    .option("--grace <duration>", "how long a job has to leave that does not return, or has no checkpoint of its own")
    .option("--grace-max <duration>", "the longest grace that a job may ask for in its checkpoint; 1m to 24h")
    .option("--backfill", "plan jobs that cannot start yet, and start others only where that delays no planned job")
    .option("--no-backfill", "plan nothing: every job that fits starts")
    .option("--moves-per-hour <number>", "jobs that may be moved to make room for another on one node; 0 moves none")
    .option("--scrub <duration>", "time it takes to clear a GPU before another tenant gets it; or off")
    .option("--reshape <duration>", "time it takes to divide an idle GPU differently; or off")
    .option("--snapshot-files <count>", "files that a folder sent with a job may hold")
    .option("--snapshot-mib <number>", "MiB that a folder sent with a job may hold")
    .option("--content-mib <number>", "MiB that are kept for one tenant, folders and outputs together")
    .option("--lost-work <duration>", "the longest run time whose loss is credited; grace = as long as the job's grace")
    .addOption(
      new Option("--acceptance <when>", "new nodes with real GPUs get work only after they passed the checks").choices([
        "on",
        "off",
      ]),
    )
    .option("--check-every <duration>", "check idle nodes this often, such as 24h; or off")
    .option("--factor-roles <roles>", "roles that need a second factor, separated by commas; none, or default")
    .option("--session-idle <duration>", "a session in a browser ends when it is not used for so long; 1m to 30d")
    .option("--session-life <duration>", "a session in a browser ends after so long; 5m to 90d")
    .addOption(
      new Option("--passwords <when>", "off: nobody signs in with a password once there is a provider").choices([
        "on",
        "off",
      ]),
    )
    .option("--token-life <duration>", "the longest life of new tokens, such as 90d; or off")
    .addOption(
      new Option(
        "--max <name=number>",
        "the most that tenants may have of something, such as arrayElements=500; tess policy get lists the names; may be repeated",
      ).argParser((value, before: string[] | undefined) => [...(before ?? []), value]),
    )
    .addOption(
      new Option(
        "--size <name=gpus>",
        "a size for quotas and jobs, such as Small=1g.10gb or Large=H100:1; Small=none removes it; may be repeated",
      ).argParser((value, before: string[] | undefined) => [...(before ?? []), value]),
    );
  examples(set, ["tess policy set --min-runtime 10m --grace 1m", "tess policy set --rebalance on --no-backfill"]);
  set.action((flags: PolicyFlags) => change(session, flags));
}

const mayBeOff: ReadonlySet<string> = new Set(["--scrub", "--reshape", "--check-every", "--token-life"]);

async function change(session: Session, flags: PolicyFlags): Promise<void> {
  const { rebalance, minRuntime, grace, graceMax, backfill, movesPerHour, scrub, reshape, size, lostWork, max } = flags;
  const durations = {
    "--min-runtime": minRuntime,
    "--grace": grace,
    "--grace-max": graceMax,
    "--scrub": scrub,
    "--reshape": reshape,
    "--lost-work": lostWork === "grace" ? undefined : lostWork,
    "--check-every": flags.checkEvery,
    "--session-idle": flags.sessionIdle,
    "--session-life": flags.sessionLife,
    "--token-life": flags.tokenLife,
  };
  for (const [flag, text] of Object.entries(durations)) {
    if (text !== undefined && !(text === "off" && mayBeOff.has(flag)) && readDuration(text) === undefined)
      throw usageFailure(`${flag} must be a duration, got "${text}"`, "such as 90s or 5m");
  }
  if (movesPerHour !== undefined && !/^\d{1,7}$/.test(movesPerHour))
    throw usageFailure(`--moves-per-hour must be a whole number, got "${movesPerHour}"`, "such as 60, or 0");
  const movesPerHourMax = movesPerHour === undefined ? undefined : Number(movesPerHour);
  const snapshotFilesMax = wholeOf("--snapshot-files", flags.snapshotFiles);
  const snapshotMiBMax = wholeOf("--snapshot-mib", flags.snapshotMib);
  const contentMiBMax = wholeOf("--content-mib", flags.contentMib);
  const content = { snapshotFilesMax, snapshotMiBMax, contentMiBMax };
  const given = {
    rebalance,
    minRuntime,
    grace,
    graceMax,
    backfill,
    movesPerHourMax,
    scrub,
    reshape,
    lostWork,
    acceptance: flags.acceptance,
    checkEvery: flags.checkEvery,
    sessionIdle: flags.sessionIdle,
    sessionLife: flags.sessionLife,
    passwords: flags.passwords,
    tokenLife: flags.tokenLife,
    ...content,
  };
  const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { factorRoles } = flags;
  if (Object.keys(changes).length === 0 && size === undefined && max === undefined && factorRoles === undefined)
    throw usageFailure("nothing to change", "such as --rebalance off; see tess policy set --help");
  const api = await session.api();
  const { revision, factorRoles: rolesBefore, ...before } = await api.call("getPolicy");
  const needing = factorRoles === undefined ? rolesBefore : rolesOf(factorRoles);
  const body = {
    ...before,
    ...changes,
    ...(needing !== undefined && { factorRoles: needing }),
    ...(max !== undefined && { max: { ...before.max, ...numbersOf(max) } }),
    ...(size !== undefined && { sizes: sizesOf(before.sizes ?? {}, size) }),
  };
  await show(session, await api.call("setPolicy", { body, ifMatch: revision }));
}

/** `default` leaves it to the server: roles of the whole platform, where others than its machine can connect. */
function rolesOf(text: string): PolicyPut["factorRoles"] {
  if (text === "default") return undefined;
  if (text === "none") return [];
  return text.split(",").map((name) => {
    const role = roles.find((each) => each === name);
    if (role === undefined)
      throw usageFailure(`--factor-roles: "${name}" is not a role`, `use any of ${roles.join(", ")}`);
    return role;
  });
}

function wholeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,10}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw usageFailure(`${flag} must be a whole number, got "${text}"`, "such as 4096");
}

function numbersOf(given: readonly string[]): NonNullable<PolicyPut["max"]> {
  const numbers: Record<string, number> = {};
  for (const text of given) {
    const [, name, number] = /^([A-Za-z]+)=(\d{1,9})$/.exec(text) ?? [];
    if (name === undefined || number === undefined)
      throw usageFailure(`--max must be NAME=NUMBER, got "${text}"`, "such as arrayElements=500");
    if (!Object.hasOwn(numberWords, name)) {
      const nearest = nearestName(name, Object.keys(numberWords));
      const hint = nearest === undefined ? "tess policy get lists the names" : `did you mean ${nearest}?`;
      throw usageFailure(`--max: "${name}" is not a number of the policy`, hint);
    }
    numbers[name] = Number(number);
  }
  return numbers;
}

function sizesOf(before: Readonly<Record<string, string>>, given: readonly string[]): Record<string, string> {
  const sizes = { ...before };
  for (const text of given) {
    const [, name, gpus] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (name === undefined || gpus === undefined)
      throw usageFailure(`--size must be NAME=GPUS, got "${text}"`, "such as Small=1g.10gb");
    const known = Object.keys(sizes).find((each) => each.toLowerCase() === name.toLowerCase());
    if (known !== undefined) delete sizes[known];
    if (gpus !== "none") sizes[known ?? name] = gpus;
  }
  return sizes;
}

const rebalances: Readonly<Record<PolicyPut["rebalance"], string>> = {
  on: "on: borrowed work may be evicted for a fairer share",
  checkpointed: "checkpointed: only of jobs that checkpoint",
  off: "off: borrowed work leaves only when the owner of the GPUs needs them",
};

async function show(session: Session, policy: PolicyShape): Promise<void> {
  await emitObject(session, policy, "policy", (shown) => {
    const { rebalance, minRuntime, grace, graceMax, backfill } = shown;
    const { movesPerHourMax, scrub = "off", reshape = "off" } = shown;
    const { snapshotFilesMax, snapshotMiBMax, contentMiBMax, lostWork = "grace" } = shown;
    return fieldsText(
      [
        ["Rebalance", rebalances[rebalance]],
        ["Minimum runtime", minRuntime],
        ["Grace", graceMax === undefined ? grace : `${grace}; at most ${graceMax} where a job asks for its own`],
        ["Backfill", backfill ? "on: no job starts where that delays a planned job" : "off"],
        ["Moves", movesPerHourMax === 0 ? "off" : `up to ${movesPerHourMax} jobs an hour, to make room on one node`],
        ["Scrub", scrub === "off" ? "off" : `a GPU is cleared before another tenant gets it; about ${scrub}`],
        ["Snapshots", `of ${snapshotFilesMax} files and ${snapshotMiBMax} MiB at most`],
        ["Content", `${contentMiBMax} MiB are kept for each tenant at most`],
        [
          "Lost work",
          lostWork === "grace" ? "credited up to the job's grace" : `credited up to ${lostWork} of run time`,
        ],
        ["Acceptance", shown.acceptance === "on" ? "on: new nodes with real GPUs must pass the checks first" : "off"],
        ["Checks", (shown.checkEvery ?? "off") === "off" ? "off" : `idle nodes are checked every ${shown.checkEvery}`],
        [
          "Second factor",
          shown.factorRoles === undefined
            ? "default: roles of the whole platform, where others than the server's machine can connect"
            : shown.factorRoles.join(", ") || "only of users who have one",
        ],
        ["Sessions", `end when not used for ${shown.sessionIdle}, and after ${shown.sessionLife}`],
        ["Passwords", shown.passwords === "off" ? "off: once there is a provider, people sign in with it" : "on"],
        ["Tokens", (shown.tokenLife ?? "off") === "off" ? "may live for ever" : `live ${shown.tokenLife} at most`],
        ...Object.entries(shown.max ?? {}).map(
          ([name, number]) =>
            [`Max ${name}`, `${number}: ${(numberWords as Readonly<Record<string, string>>)[name]}`] as const,
        ),
        ...Object.entries(shown.sizes ?? {}).map(([name, gpus]) => [`Size ${name}`, gpus] as const),
        ["Re-shape", reshape === "off" ? "off" : `dividing an idle GPU differently takes about ${reshape}`],
      ],
      session.paint,
    );
  });
}
