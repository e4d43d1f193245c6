import type { ContractPut, PriceBookShape } from "@tessera/wire";
import { quoteWord } from "@tessera/wire/shell-word";
import { tess } from "../../format/command.ts";
import { readMoney, writeMoney } from "../../format/money.ts";

export type Contract = PriceBookShape["contracts"][number];

/** A contract as it is typed. */
export interface ContractDraft {
  readonly tenant: string;
  readonly from: string;
  readonly to: string;
  /** Percent of the list's prices. */
  readonly percent: string;
  readonly rates: readonly { readonly model: string; readonly reserved: string; readonly burst: string }[];
}

type Wrong = Readonly<
  Partial<Record<"tenant" | "from" | "to" | "percent" | `rates.${number}.${"model" | "amount"}`, string>>
>;

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
      wrong[`rates.${i}.model`] = `${model || "It"} is not a GPU model.`;
    if (fault !== undefined) wrong[`rates.${i}.amount`] = fault;
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

/** The contract that is there, else one of a year from the first day of the next month. */
export function contractDraftOf(tenant: string, before: Contract | undefined, now: Date): ContractDraft {
  if (before === undefined) {
    const day = (months: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
    return { tenant, from: day(1), to: day(13), percent: "100", rates: [] };
  }
  const rates = before.gpus.map(({ model, reservedMicros, burstMicros }) => ({
    ...{ model, reserved: writeMoney(String(reservedMicros)), burst: writeMoney(String(burstMicros)) },
  }));
  const { from, to, perMille } = before;
  return { tenant, from: from.slice(0, 10), to: to.slice(0, 10), percent: percentOf(perMille), rates };
}

/** The same contract on the command line, with all that the form sets. */
export function contractCommand(tenant: string, body: ContractPut): string {
  return `echo ${quoteWord(JSON.stringify(body))} | ${tess(["price", "contract", tenant, "-"])}`;
}

/** What becomes of the contracts of a tenant: one holds until the new one begins, and is replaced if it begins later. */
export function contractsAfter(contracts: readonly Contract[], { from }: ContractPut): string[] {
  const spell = (contract: Contract) => `${contract.from.slice(0, 10)} to ${contract.to.slice(0, 10)}`;
  const isReplaced = (contract: Contract) => contract.from.slice(0, 10) >= from;
  return contracts.map((contract) =>
    isReplaced(contract)
      ? `It replaces the contract from ${spell(contract)}.`
      : contract.to.slice(0, 10) > from
        ? `The contract from ${spell(contract)} applies until ${from}.`
        : `The contract from ${spell(contract)} stays as it is.`,
  );
}
