import type { Alternative, Displacement, Start } from "@tessera/wire";
import { shortDuration } from "@tessera/wire/duration";
import { quoteWord } from "@tessera/wire/shell-word";
import type { Column } from "../output/column.ts";
import { renderTable } from "../output/table.ts";
import { instantText } from "../output/time.ts";
import type { Session } from "../session.ts";

/** When a job starts, in a sentence; undefined where the reason has said it all. */
export function startText(start: Start, now: number): string {
  const { missesDeadline } = start;
  const text = whenText(start, now);
  if (missesDeadline === undefined) return text;
  return `${text}\nIt would miss its deadline, ${instantText(missesDeadline)}.`;
}

function whenText(start: Start, now: number): string {
  const { when, at, p50, p90, basis, samples = 0, why, nodes = [] } = start;
  if (when === "unknown") return `Its start is not known: ${why ?? "the server gives no reason"}.`;
  const band =
    p50 === undefined || p90 === undefined ? undefined : `${soon(p50, now)} (p50) to ${soon(p90, now)} (p90)`;
  const past = `${samples} past ${basis === "wait-times" ? "waits of jobs of its name" : "run times of jobs like those running"}`;
  if (at === undefined) return band === undefined ? "It starts now." : `It starts ${band}, going by ${past}.`;
  if (basis === "eviction") return `The jobs evicted for it are gone ${soon(at, now)}.`;
  if (basis === "price") return `It starts ${soon(at, now)} at the earliest, when an hour costs less.`;
  if (basis === "period") return `It starts ${soon(at, now)} at the earliest, when a new period begins.`;
  const where = nodes.length === 0 ? "" : ` on ${nodesText(nodes)}`;
  const known = basis === "plan" ? "the time limits of running jobs" : "past run times of running jobs";
  const likely = band === undefined ? "" : ` More likely ${band}, going by ${past}.`;
  return `Planned start: ${soon(at, now)}${where}, going by ${known}.${likely}`;
}

function nodesText(nodes: readonly string[]): string {
  const shown = nodes.slice(0, 4).join(", ");
  return nodes.length > 4 ? `${shown} and ${nodes.length - 4} more` : shown;
}

/** Relative under a day, else absolute. */
function soon(at: string, now: number): string {
  const ms = Date.parse(at) - now;
  if (ms <= 0) return "now";
  return ms < 86_400_000 ? `in ${shortDuration(ms)}` : instantText(at);
}

const ruleTexts: Readonly<Record<Displacement["by"][number]["rule"], string>> = {
  reclaim: "reclaimed from borrowers",
  "fair-share": "from accounts above their fair share",
  priority: "of lower priority in the same account",
  order: "behind it in the order of the same account",
};

/** The victims, with the names that may be seen. */
export function displacesText({ by, seen, hidden, within }: Displacement): string {
  const parts = by.map((each) => `${leaversText(each)} ${ruleTexts[each.rule]}`);
  const names = seen.map(({ name }) => name);
  if (hidden > 0 && names.length > 0) names.push(`${hidden} more`);
  const named = names.length === 0 ? "" : `: ${names.join(", ")}`;
  return `It displaces ${parts.join("; ")}${named}. They have ${within} to leave.`;
}

/** `2 jobs, 8 GPUs`, `3 members, 3 GPUs`. */
function leaversText({ jobs, members, gpus }: Pick<Displacement, "jobs" | "members" | "gpus">): string {
  const who = [jobs > 0 && count(jobs, "job"), members > 0 && count(members, "extra member")].filter(Boolean);
  return `${who.join(" and ")} (${count(gpus, "GPU")})`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

const leavers: Column<Alternative> = {
  name: "displaces",
  text: ({ displaces }) => (displaces === undefined ? "" : leaversText(displaces)),
};

/** What would start it sooner: the flag to give, what it replaces, and what that does. */
export function alternativesText(alternatives: readonly Alternative[], { paint, now, terminal }: Session): string {
  if (alternatives.length === 0) return "";
  const table = renderTable<Alternative>(
    [
      { name: "change", text: ({ change }) => flagText(change) },
      { name: "instead of", text: ({ change }) => valueText(change.from), shrinks: true },
      {
        name: "effect",
        text: ({ effect, at }, at0) => (at === undefined ? effect : `starts ${soon(at, at0)}`),
        style: ({ effect }) => (effect === "starts now" ? "green" : "reset"),
      },
      { name: "class", text: (each) => each.class ?? "" },
      ...(alternatives.some(({ displaces }) => displaces !== undefined) ? [leavers] : []),
    ],
    alternatives,
    { headers: true, paint, now: now(), width: terminal.stdout.columns },
  );
  return table;
}

/** The change as a flag of `tess run`. */
function flagText({ field, to }: Alternative["change"]): string {
  if (field === "preemptible") return to === true ? "--preemptible" : "--no-preemptible";
  if (to === null) return `no --${field.replaceAll("_", "-")}`;
  const text = Array.isArray(to) ? to.join(",") : String(to);
  return `--${field.replace("model.", "").replaceAll("_", "-")} ${quoteWord(text)}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? Object.values(value).join(",") : String(value);
}
