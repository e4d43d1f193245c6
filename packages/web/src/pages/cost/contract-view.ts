import type { ContractPut } from "@tessera/wire";
import { readMoney } from "../../format/money.ts";

/** A contract as it is typed. */
export interface ContractDraft {
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  /** Percent of the list's prices. */
  readonly percent: string;
  readonly rates: readonly { readonly model: string; readonly reserved: string; readonly burst: string }[];
}

type Wrong = Readonly<Partial<Record<"tenant" | "from" | "to" | "percent" | `rates.${number}`, string>>>;

/** What was typed as the API takes it, or what is wrong with it, by field. */
export function readContract(draft: ContractDraft): { body: ContractPut } | { wrong: Wrong } {
  const wrong: Record<string, string> = {};
  if (draft.tenant === "") wrong.tenant = "Choose a tenant.";
  for (const name of ["from", "to"] as const)
    if (!/^\d{4}-\d{2}-\d{2}$/.test(draft[name])) wrong[name] = "Type a day, such as 2026-12-01.";
  if (wrong.from === undefined && wrong.to === undefined && draft.to <= draft.from)
    wrong.to = `It must be after ${draft.from}.`;
  const perMille = readPercent(draft.percent);
  if (perMille === undefined)
    wrong.percent = "Type a percentage from 0 to 1000 with at most one digit after the point, such as 87.5.";
  const gpus = draft.rates.map(({ model, reserved, burst }, i) => {
    const [one, two] = [readMoney(reserved), readMoney(burst)];
    const fault = "wrong" in one ? one.wrong : "wrong" in two ? two.wrong : undefined;
    if (!/^(\*|[A-Za-z0-9][A-Za-z0-9._-]{0,62})$/.test(model))
      wrong[`rates.${i}`] = `${model || "It"} is not a GPU model.`;
    else if (fault !== undefined) wrong[`rates.${i}`] = fault;
    return { model, reservedMicros: microsOf(one), burstMicros: microsOf(two) };
  });
  if (Object.keys(wrong).length > 0) return { wrong: wrong as Wrong };
  return { body: { from: draft.from, to: draft.to, perMille: perMille!, ...(gpus.length > 0 && { gpus }) } };
}

function microsOf(read: ReturnType<typeof readMoney>): number {
  return "micros" in read ? Number(read.micros) : 0;
}

/** `87.5` as 875 thousandths. */
function readPercent(text: string): number | undefined {
  const [, whole, tenth = "0"] = /^(\d{1,4})(?:[.,](\d))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const perMille = Number(whole) * 10 + Number(tenth);
  return perMille <= 10_000 ? perMille : undefined;
}

/** Thousandths as a percentage: 875 is `87.5`. */
export function percentOf(perMille: number): string {
  return perMille % 10 === 0 ? String(perMille / 10) : `${Math.trunc(perMille / 10)}.${perMille % 10}`;
}
