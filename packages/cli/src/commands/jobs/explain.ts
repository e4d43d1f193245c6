import type { Explanation, Remedy, WaitReason } from "@tessera/wire";
import { shortDuration } from "@tessera/wire/duration";
import { moneyText } from "@tessera/wire/money";
import { type ReasonText, waitingReasons } from "@tessera/wire/reasons";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import { callOnJob } from "../../job/find.ts";
import { alternativesText, startText } from "../../job/outlook.ts";
import { emitObject } from "../../output/emit.ts";
import { instantText } from "../../output/time.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Says why a job waits, what it needs, which jobs are ahead, when it will start, and which change would start it sooner.\n" +
        "Each change shown was planned on the present fleet; to use it, submit the job again.",
    )
    .argument("<job>", "name or id");
  examples(command, ["tess explain llama-ft", "tess explain llama-ft -o json"]);
  command.action(async (name: string) => {
    const explanation = await callOnJob(await session.api(), "explainJob", name);
    await emitObject(session, explanation, explanation.job, (each) => explainText(name, each, session));
  });
}

/** Sentences that a person can act on. */
export function explainText(name: string, explanation: Explanation, session: Session): string {
  const { state, reason, position, start, remedies = [], alternatives = [] } = explanation;
  const { paint } = session;
  const now = session.now();
  const title = paint("bold", printable(name));
  if (state !== "waiting") {
    const more = state === "ended" ? `; how it ended: tess describe job ${name}` : ", nothing holds it up";
    return `${title} is ${state}${more}.\n`;
  }
  if (reason === undefined) return `${title} waits for its first look by the scheduler.\n`;
  const detail = sentence(reason.detail);
  const { because, inQueue, advice } = textsOf(reason);
  const lines = [`${title} waits because ${paint("yellow", because)}. ${detail}`];
  if (explanation.again !== undefined) lines.push(sentence(explanation.again));
  const { account } = reason;
  lines.push(...amountLines(reason, detail));
  if (account !== undefined && account !== "" && !detail.includes(account))
    lines.push(`The account that decides is ${account}.`);
  if (reason.until !== undefined) {
    const ms = Date.parse(reason.until) - now;
    lines.push(`Until ${instantText(reason.until)}${ms > 0 ? `, in ${shortDuration(ms)}` : ""}.`);
  }
  if (position !== undefined && inQueue) lines.push(positionText(position, explanation));
  if (start !== undefined && start.when !== "now") lines.push(startText(start, now));
  if (advice !== undefined) lines.push(paint("dim", `${advice}.`));
  for (const { act, target, text } of remedies) lines.push(`${text} ${paint("dim", remedyCommands[act](target))}`);
  const text = lines.map((line) => `${line}\n`).join("");
  if (alternatives.length === 0) return text;
  return `${text}\nWhat would start it sooner:\n${alternativesText(alternatives, session).replace(/^(?=.)/gm, "  ")}`;
}

/** The amounts of a reason; what its sentence already says is not said again. */
function amountLines({ kind, of, unit, needed, free, held, limit, money }: WaitReason, detail: string): string[] {
  const lines: string[] = [];
  const says = (...amounts: number[]) => amounts.every((amount) => mentions(detail, amount));
  const isFreeForIt = kind !== "quota" && kind !== "reservation" && kind !== "health";
  if (needed !== undefined && free !== undefined && isFreeForIt && !says(needed, free))
    lines.push(
      `It needs ${needed} ${needed === 1 ? "GPU" : "GPUs"}; ${free} ${free === 1 ? "is" : "are"} free for it.`,
    );
  if (held !== undefined && limit !== undefined && !says(held, limit))
    lines.push(`${held} of ${limit} ${unit ?? "GPUs"} are used.`);
  if (money !== undefined && kind === "budget") {
    const [held, limit] = [money.heldMicros, money.limitMicros].map((micros) => moneyText(micros, money.currency));
    lines.push(`${held} of ${limit} are ${of === "credit" ? "owed" : "spent"}.`);
  }
  return lines;
}

/** The texts of a reason; a newer server may know kinds that this program does not. */
export function textsOf({ kind }: WaitReason): Pick<ReasonText<never>, "because" | "inQueue" | "advice"> {
  return waitingReasons[kind] ?? { because: kind, inQueue: false };
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

const remedyCommands: Readonly<Record<Remedy["act"], (target: string) => string>> = {
  release: (job) => `tess release ${job}`,
  up: (node) => `tess node up ${node}`,
  budget: (account) => `tess budget set ${account} --limit AMOUNT`,
  credit: (tenant) => `tess billing set ${tenant} --credit-limit AMOUNT`,
  quota: (account) => `tess account edit ${account} --max GPUS`,
};
