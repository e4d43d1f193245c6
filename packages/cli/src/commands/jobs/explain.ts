import type { Explanation, WaitReason } from "@tessera/wire";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import { callOnJob } from "../../job/find.ts";
import { alternativesText, startText } from "../../job/outlook.ts";
import { emitObject } from "../../output/emit.ts";
import { durationText, instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Says why a job waits, what it lacks, who is before it, when it will start, and what would start it now.\n" +
        "Each change that is shown was planned on the fleet as it is; it takes a new submission.",
    )
    .argument("<job>", "name or id");
  examples(command, ["tess explain llama-ft", "tess explain llama-ft -o json"]);
  command.action(async (name: string) => {
    const explanation = await callOnJob(await session.api(), "explainJob", name);
    await emitObject(session, explanation, explanation.job, (each) => explainText(name, each, session));
  });
}

/** What each reason means, after "because". */
export const meanings: Readonly<Record<WaitReason["kind"], string>> = {
  never: "it can never start as it is",
  held: "it is held",
  "not-yet": "its time has not come",
  dependency: "it waits for another job",
  budget: "its budget is spent",
  price: "an hour costs more than its max_price",
  evicting: "room is being made for it",
  quota: "a quota is used up",
  capacity: "too little is free",
  shape: "enough is free, but scattered",
  isolation: "what is free may not be shared with it",
  health: "nodes that could hold it take no work",
  reservation: "what is free will not be there long enough",
  order: "others are before it",
};

const advice: Partial<Readonly<Record<WaitReason["kind"], string>>> = {
  never: "Cancel it and ask for what the fleet has: tess gpus",
  held: "Let it start with tess release",
  quota: "Who uses what: tess account tree",
  capacity: "What is free: tess gpus",
  health: "Nodes and their state: tess node get",
};

/** Reasons for which the place in the line matters; the others hold a job back wherever it stands. */
const inLine: readonly WaitReason["kind"][] = [
  "quota",
  "capacity",
  "shape",
  "isolation",
  "health",
  "reservation",
  "order",
  "evicting",
];

/** Sentences that a person can act on. */
export function explainText(name: string, explanation: Explanation, session: Session): string {
  const { state, reason, position, start, alternatives = [] } = explanation;
  const { paint } = session;
  const now = session.now();
  const title = paint("bold", printable(name));
  if (state !== "waiting") {
    const more = state === "ended" ? `; how it ended: tess describe job ${name}` : ", nothing holds it up";
    return `${title} is ${state}${more}.\n`;
  }
  if (reason === undefined) return `${title} waits for its first look by the scheduler.\n`;
  const detail = sentence(reason.detail);
  const lines = [`${title} waits because ${paint("yellow", meanings[reason.kind] ?? reason.kind)}. ${detail}`];
  const { needed, free, account } = reason;
  // What the sentence already says is not said again.
  if (needed !== undefined && free !== undefined && !(mentions(detail, needed) && mentions(detail, free))) {
    lines.push(
      `It needs ${needed} ${needed === 1 ? "GPU" : "GPUs"}; ${free} ${free === 1 ? "is" : "are"} free for it.`,
    );
  }
  if (account !== undefined && account !== "" && !detail.includes(account))
    lines.push(`The account that decides is ${account}.`);
  if (reason.until !== undefined) {
    const ms = Date.parse(reason.until) - now;
    lines.push(`Until ${instantText(reason.until)}${ms > 0 ? `, in ${durationText(ms)}` : ""}.`);
  }
  if (position !== undefined && inLine.includes(reason.kind)) lines.push(positionText(position, explanation));
  if (start !== undefined && start.when !== "now") lines.push(startText(start, now));
  const next = advice[reason.kind];
  if (next !== undefined) lines.push(paint("dim", `${next}.`));
  const text = lines.map((line) => `${line}\n`).join("");
  if (alternatives.length === 0) return text;
  return `${text}\nWhat would start it sooner:\n${alternativesText(alternatives, session).replace(/^(?=.)/gm, "  ")}`;
}

function positionText(position: number, { ahead, aheadBy }: Explanation): string {
  const before = ahead ?? position - 1;
  if (before === 0) return "It is next in line.";
  const line = `It is number ${position} in line, with ${before} ${before === 1 ? "job" : "jobs"} before it`;
  if (aheadBy === undefined) return `${line}.`;
  const { account, others } = aheadBy;
  const who = [classesText(account, "of its own account"), classesText(others, "of others")].filter(Boolean);
  return `${line}: ${who.join("; ")}.`;
}

/** `2 guaranteed and 1 burst of others`. */
function classesText({ guaranteed, burst }: { guaranteed: number; burst: number }, whose: string): string {
  const parts = [guaranteed > 0 && `${guaranteed} guaranteed`, burst > 0 && `${burst} burst`].filter(Boolean);
  return parts.length === 0 ? "" : `${parts.join(" and ")} ${whose}`;
}

function mentions(text: string, count: number): boolean {
  return new RegExp(`\\b${count}\\b`).test(text);
}

/** What the server said, as a sentence that can be shown. */
export function sentence(text: string): string {
  const clean = printable(text);
  return /[.!?]$/.test(clean) ? clean : `${clean}.`;
}
