import type { Alternative, Displacement, Explanation, Job, JobEdit, Start, WaitReason } from "@tessera/wire";
import { reasonKinds, waitingReasons } from "@tessera/wire/reasons";
import { spellMoney } from "../../format/money.ts";
import { spellMiB, spellNumber } from "../../format/numbers.ts";
import { inZone, spellClock, spellSpan } from "../../format/times.ts";

export interface Check {
  readonly kind: WaitReason["kind"];
  readonly result: "passed" | "failing" | "open";
  readonly text: string;
}

/** The checks in the order in which the scheduler makes them: those passed, the reason, and those not made because of it. */
export function waterfall(reason: WaitReason | undefined): Check[] {
  const at = reason === undefined ? reasonKinds.length : reasonKinds.indexOf(reason.kind);
  return reasonKinds.map((kind, i) => {
    if (i < at) return { kind, result: "passed", text: waitingReasons[kind].passed };
    return i === at ? { kind, result: "failing", text: inZone(reason!.detail) } : { kind, result: "open", text: "" };
  });
}

/** An amount of which a reason tells, to be drawn beside others. */
export interface Amount {
  readonly label: string;
  readonly value: number;
  /** With its unit, as people read it. */
  readonly text: string;
  readonly tone: "needed" | "free" | "limit";
}

/** What is needed, and what of it there is: held of a limit, free, or spent of a budget. */
export function amountsOf(reason: WaitReason): Amount[] {
  const { kind, unit, needed, fits, held, limit, free, money } = reason;
  const text = (value: number) => amountText(value, unit);
  const amounts: readonly (readonly [string, number | undefined, Amount["tone"]])[] = [
    ["needed", needed, "needed"],
    ["fit as asked", fits, "free"],
    [unit === "elements" ? "running" : "held", held, "free"],
    ["limit", limit, "limit"],
    // They are free, but not for it.
    [freeLabels[kind] ?? "free", free, fits === undefined ? "free" : "limit"],
  ];
  const counted = amounts.flatMap(([label, value, tone]) =>
    value === undefined ? [] : { label, value, text: text(value), tone },
  );
  return money === undefined ? counted : [...counted, ...sumsOf(reason, money)];
}

const freeLabels: Readonly<Partial<Record<WaitReason["kind"], string>>> = {
  health: "out of service",
  reservation: "before maintenance",
  quota: "idle, not lent",
};

function amountText(value: number, unit: WaitReason["unit"]): string {
  if (unit === "MiB") return spellMiB(value);
  return unit === undefined ? spellNumber(value) : `${spellNumber(value)} ${unit}`;
}

function sumsOf({ kind, of }: WaitReason, money: NonNullable<WaitReason["money"]>): Amount[] {
  const { currency, heldMicros, limitMicros } = money;
  const [held, limit] = kind === "price" ? sumLabels.price : sumLabels[of ?? "budget"];
  const sum = (label: string, micros: string, tone: Amount["tone"]) => {
    // Only for the length of a bar, which shows no millionths.
    const value = Number(micros) / 1_000_000;
    return { label, value, text: spellMoney(micros, currency), tone };
  };
  return [sum(held, heldMicros, "needed"), sum(limit, limitMicros, "limit")];
}

const sumLabels = {
  price: ["an hour costs", "max_price"],
  budget: ["spent", "budget"],
  credit: ["owed", "credit limit"],
} as const;

/** Of which teams the jobs are that would be evicted. */
export function victimsText({ jobs, members, own }: Pick<Displacement, "jobs" | "members" | "own">): string {
  if (jobs === 0) return members === 1 ? "a member of an elastic job" : `${members} members of elastic jobs`;
  if (own === 0) return "all of other teams";
  return own >= jobs ? "all of its own account" : `${own} of its own account, ${jobs - own} of other teams`;
}

/** The edit of a job that changes one field; a field of which nothing is left is taken away. */
export function editOf({ spec }: Pick<Job, "spec">, { field, to }: { field: string; to: unknown }): JobEdit {
  if (to === null || to === undefined) return { unset: [field] };
  const isPrecision = field === "model.precision";
  const set: Record<string, unknown> = isPrecision ? { model: { ...modelOf(spec), precision: to } } : { [field]: to };
  return isPrecision ? { set, unset: [...sizes] } : { set };
}

/** What follows from the model of a sized job, and is derived again with another precision. */
const sizes = ["gpus", "gpu_memory", "nodes", "members", "topology"] as const;

function modelOf({ model }: Job["spec"]): object {
  return typeof model === "object" && model !== null ? model : { name: model };
}

/** `starts now`, or `would start 23:53, 3h sooner` where the start of the job as it is is known. */
export function spellEffect(
  { effect, at }: Pick<Alternative, "effect" | "at">,
  start: Start | undefined,
  now = Date.now(),
): string {
  if (effect === "starts now" || at === undefined) return "starts now";
  const own = start?.at ?? start?.p50;
  const sooner = own === undefined ? 0 : Date.parse(own) - Date.parse(at);
  return `would start ${spellClock(at, now)}${sooner > 0 ? `, ${spellSpan(sooner)} sooner` : ""}`;
}

/** `gpus: H100:4 instead of H100:8`. */
export function spellChange({ field, from, to }: { field: string; from?: unknown; to?: unknown }): string {
  const text = (value: unknown) =>
    value === undefined || value === null ? "none" : typeof value === "string" ? inZone(value) : JSON.stringify(value);
  return `${field}: ${text(to)} instead of ${text(from)}`;
}

/** The whole span that a picture of the start has to show. */
export function startSpan(start: Explanation["start"], now: number): { from: number; to: number } | undefined {
  const ends = [start?.at, start?.p50, start?.p90].filter((at) => at !== undefined).map((at) => Date.parse(at!));
  if (ends.length === 0) return undefined;
  return { from: now, to: now + Math.max(60_000, Math.round(1.15 * (Math.max(...ends) - now))) };
}
