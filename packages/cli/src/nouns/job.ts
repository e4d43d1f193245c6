import type { Attempt, Job, Member, Output } from "@tessera/wire";
import { codeText } from "@tessera/wire/code";
import { shortDuration } from "@tessera/wire/duration";
import { moneyText } from "@tessera/wire/money";
import { Option } from "commander";
import { outputColumns } from "../files/columns.ts";
import { elementsText, failedText } from "../job/elements.ts";
import { findJob } from "../job/find.ts";
import { gpusText, nodesText, stateStyle, stateText } from "../job/state.ts";
import { type Field, fieldsText, objectFields } from "../output/fields.ts";
import { partsText, partText } from "../output/sharing.ts";
import { renderTable } from "../output/table.ts";
import { ageText, instantText } from "../output/time.ts";
import type { Paint } from "../terminal.ts";
import type { Noun } from "./noun.ts";

const historyMax = 100;
const states = ["live", "waiting", "starting", "running", "stopping", "ended", "all"];
/** How jobs end; with --state they choose among the ended ones. */
const outcomes = [
  "succeeded",
  "failed",
  "cancelled",
  "timed-out",
  "infra-failed",
  "preempted",
  "dependency-failed",
  "deadline-passed",
  "over-budget",
];
const uuidsShownMax = 2;

export const job: Noun<Job> = {
  name: "job",
  plural: "jobs",
  watch: "listJobs",
  nameOf: ({ id }) => id,
  keyOf: ({ id }) => id,
  limit: ({ state }) =>
    state === "all" || state === "ended" || outcomes.includes(String(state)) ? historyMax : undefined,
  sorts: {
    ...{ name: "name", project: "project", user: "user", gpus: "gpus", priority: "priority" },
    ...{ state: "state", age: "submitted" },
  },
  examples: [
    "tess get job",
    "tess get job llama-ft -o yaml",
    "tess get job -A --state waiting -w",
    "tess get job -A --text llama --sort-by -gpus --limit 10",
  ],
  columns: [
    { name: "name", text: nameText, shrinks: true },
    { name: "id", text: ({ id }) => id, drops: true },
    { name: "state", text: stateText, style: stateStyle },
    { name: "gpus", text: gpusText, raw: ({ gpus }) => gpus, right: true },
    { name: "project", text: ({ project }) => project, shrinks: true },
    { name: "user", text: ({ user, userName }) => userName ?? user, shrinks: true },
    { name: "age", text: ({ submittedAt }, now) => ageText(submittedAt, now), raw: ({ submittedAt }) => submittedAt },
    { name: "ran", text: ranText, raw: ranMs },
    { name: "cost", text: costText, raw: ({ cost }) => Number(cost?.micros ?? 0), right: true, hidesEmpty: true },
    {
      name: "at-end",
      text: atEndText,
      raw: ({ cost }) => Number(cost?.atEndMicros ?? 0),
      right: true,
      hidesEmpty: true,
    },
    { name: "labels", text: labelsText, wide: true, shrinks: true, hidesEmpty: true },
    { name: "class", text: (each) => each.class ?? "", wide: true },
    {
      name: "priority",
      text: ({ priority }) => String(priority),
      raw: ({ priority }) => priority,
      wide: true,
      right: true,
    },
    { name: "attempt", text: ({ attempt }) => String(attempt), raw: ({ attempt }) => attempt, wide: true, right: true },
    { name: "detail", text: detailText, shrinks: true },
  ],
  addFilters(command) {
    command
      .option("-A, --all-projects", "jobs of every project that you may see")
      .option("-a, --all", "also jobs that have ended")
      .addOption(
        new Option("--state <state>", "only jobs in this state, or that ended so").choices([...states, ...outcomes]),
      )
      .option("--text <text>", "only jobs with this in their name, id, project or user")
      .option("--user <user>", "only jobs of this user")
      .option("-l, --label <key=value>", "only jobs with this label; KEY alone: with any value")
      .option("--name <name>", "only jobs of this name")
      .option("--array <job>", "only elements of this array");
  },
  async queryOf(filters, session) {
    const { scope } = await session.settings();
    const state = filters.state ?? (filters.all === true ? "all" : undefined);
    return {
      cost: true,
      ...(filters.allProjects !== true && scope !== undefined && { project: scope }),
      ...(state !== undefined && { state }),
      ...(filters.text !== undefined && { text: filters.text }),
      ...(filters.user !== undefined && { user: filters.user }),
      ...(filters.label !== undefined && { label: filters.label }),
      ...(filters.name !== undefined && { name: filters.name }),
      ...(filters.array !== undefined && { array: filters.array }),
    };
  },
  page: (api, query) => api.call("listJobs", { query }),
  load: async (session, name) => findJob(await session.api(), name),
  around: ({ name, project }) => ({ name, project }),
  describe: describeJob,
  beside: async (session, each) => (await import("../job/activity.ts")).activityText(session, each),
};

function nameText({ name, array }: Job): string {
  return array === undefined || name.endsWith(`.${array.index}`) ? name : `${name}.${array.index}`;
}

function labelsText({ labels = {} }: Job): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

function costText({ cost }: Job): string {
  return cost === undefined ? "" : moneyText(cost.micros, cost.currency);
}

/** At its time limit, while it runs. */
function atEndText({ cost }: Job): string {
  return cost?.atEndMicros === undefined ? "" : moneyText(cost.atEndMicros, cost.currency);
}

/** So far, by the hour, and at its time limit. */
function costsText({ cost, state }: Job): string | undefined {
  if (cost === undefined) return undefined;
  const { currency, micros, perHourMicros, atEndMicros } = cost;
  const rate = state === "ended" || perHourMicros === "0" ? "" : `, ${moneyText(perHourMicros, currency)} an hour`;
  const end = atEndMicros === undefined ? "" : `, ${moneyText(atEndMicros, currency)} at its time limit`;
  return `${moneyText(micros, currency)}${state === "ended" ? "" : " so far"}${rate}${end}`;
}

/** As far as it was measured. */
function energyText({ energy }: Job): string | undefined {
  if (energy === undefined) return undefined;
  const kwh = energy.joules / 3_600_000;
  return `${kwh < 1 ? kwh.toFixed(3) : kwh.toFixed(2)} kWh of its GPUs${energy.simulated ? " (simulated)" : ""}`;
}

/** What its user was warned of. */
function idleText({ idle }: Job): string | undefined {
  if (idle === undefined) return undefined;
  const { since, activity, below, does, actsAt } = idle;
  const seen = `its GPUs are below ${below}% since ${instantText(since)} (measured at most ${activity}%)`;
  const then = does === "stop" ? "stopped" : "suspended";
  return does === "notify" ? seen : `${seen}; it is ${then} at ${instantText(actsAt)} unless it works again`;
}

function ranMs({ startedAt, endedAt }: Job): number | undefined {
  return startedAt === undefined || endedAt === undefined ? undefined : Date.parse(endedAt) - Date.parse(startedAt);
}

function ranText(each: Job, now: number): string {
  const ms = ranMs(each);
  return ms === undefined ? ageText(each.startedAt, now) : shortDuration(ms);
}

function detailText(each: Job): string {
  if (each.state === "ended") return failedText(each.elements) ?? each.detail ?? "";
  if (each.elements !== undefined) return elementsText(each.elements);
  if (each.state === "waiting") return againText(each) + reasonText(each);
  return each.detail ?? nodesText(each);
}

/** A job that has run before says so before it says what it waits for. */
function againText({ attempts = [], detail }: Job): string {
  const last = attempts.at(-1);
  return last === undefined || detail === undefined ? "" : `waits again (${last.result.replace("_", " ")}); `;
}

function reasonText({ reason }: Job): string {
  return reason === undefined ? "" : `${reason.kind}: ${reason.detail}`;
}

function describeJob(each: Job, paint: Paint, now: number): string {
  const at = (instant: string | undefined) =>
    instant === undefined ? undefined : `${instantText(instant)} (${ageText(instant, now)} ago)`;
  const fields: Field[] = [
    ["Id", each.id],
    ["Project", each.project],
    ["User", each.userName === undefined ? each.user : `${each.userName} (${each.user})`],
    ["Type", each.type],
    ["GPUs", gpusText(each)],
    ["Class", each.class],
    ["Priority", String(each.priority)],
    ["Code", codeText(each.spec.workdir)],
    ["Attempt", String(each.attempt)],
    ["Array", each.array === undefined ? undefined : `${each.array.id}, element ${each.array.index}`],
    ["Elements", each.elements === undefined ? undefined : elementsText(each.elements)],
    ["Waits for", each.state === "waiting" ? reasonText(each) : undefined],
    ["Submitted", at(each.submittedAt)],
    ["Started", at(each.startedAt)],
    ["Ended", at(each.endedAt)],
    ["Ran", ranText(each, now)],
    ["Labels", each.labels === undefined ? undefined : labelsText(each)],
    ["Cost", costsText(each)],
    ["Energy", energyText(each)],
    ["Idle", idleText(each)],
    ["Exit code", each.exitCode === undefined ? undefined : String(each.exitCode)],
    ["Detail", failedText(each.elements) ?? each.detail],
  ];
  const title = `${paint("bold", nameText(each))}  ${paint(stateStyle(each), stateText(each))}\n`;
  return (
    title +
    fieldsText(fields, paint, "  ") +
    membersText(each, paint, now) +
    partsText(each.parts, paint) +
    attemptsText(each, paint, now) +
    outputsText(each, paint, now) +
    specText(each, paint)
  );
}

function membersText({ members }: Job, paint: Paint, now: number): string {
  if (members.length === 0) return "";
  const limits = [...new Set(members.map(({ enforcement }) => limitsText(enforcement)))];
  const common = limits.length === 1 ? limits[0] : undefined;
  const table = renderTable<Member>(
    [
      { name: "rank", text: ({ rank }) => String(rank), right: true },
      { name: "node", text: ({ node }) => node },
      { name: "state", text: ({ state }) => state },
      { name: "started", text: ({ startedAt }) => ageText(startedAt, now) },
      { name: "gpus", text: ({ gpus, devices = gpus }) => uuidsText(devices) },
      ...(members.some(({ part }) => part !== undefined)
        ? [{ name: "part", text: ({ part }: Member) => (part === undefined ? "" : partText(part)) }]
        : []),
      ...(common === undefined ? [{ name: "limits", text: ({ enforcement }: Member) => limitsText(enforcement) }] : []),
    ],
    members,
    { headers: true, paint, now },
  );
  const below = common === undefined ? "" : fieldsText([["Limits", common]], paint, "  ");
  return `\n${paint("bold", "Members")}\n${indented(table)}${below}`;
}

function uuidsText(uuids: readonly string[]): string {
  return uuids.length > uuidsShownMax ? String(uuids.length) : uuids.join(" ");
}

function attemptsText({ attempts = [] }: Job, paint: Paint, now: number): string {
  if (attempts.length === 0) return "";
  const table = renderTable<Attempt>(
    [
      { name: "attempt", text: ({ attempt }) => String(attempt), right: true },
      { name: "result", text: ({ result, exitCode }) => (exitCode === undefined ? result : `${result} (${exitCode})`) },
      { name: "nodes", text: ({ nodes }) => nodes.join(", ") },
      { name: "placed", text: ({ placedAt }) => instantText(placedAt) },
      { name: "held", text: ({ placedAt, endedAt }) => shortDuration(Date.parse(endedAt) - Date.parse(placedAt)) },
      ...(attempts.some(({ why }) => why !== undefined) ? [{ name: "why", text: ({ why = "" }: Attempt) => why }] : []),
    ],
    attempts,
    { headers: true, paint, now },
  );
  return `\n${paint("bold", "Attempts")}\n${indented(table)}`;
}

function outputsText({ outputs = [], name }: Job, paint: Paint, now: number): string {
  if (outputs.length === 0) return "";
  const table = renderTable<Output>(outputColumns, outputs, { headers: true, paint, now });
  return `\n${paint("bold", "Outputs")}  ${paint("dim", `tess cp ${name}:PATH .`)}\n${indented(table)}`;
}

/** Which limit is really enforced by what. */
function limitsText(enforcement: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(enforcement ?? {})
    .map(([limit, by]) => `${limit} by ${by}`)
    .join(", ");
}

function specText({ spec }: Job, paint: Paint): string {
  return `\n${paint("bold", "Spec")}\n${fieldsText(objectFields(spec), paint, "  ")}`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
