import type { Account, AccountEdit } from "@tessera/wire";
import { readAmount, writeAmount, wrongAmount } from "./amounts.ts";

/** What was typed; a field that was not touched is left as it is. */
export interface QuotaDraft {
  guarantee?: string;
  max?: string;
  weight?: string;
  /** For a while only; the weight stays as it is then. */
  until?: string;
}

type Amount = number | Record<string, number>;

/** An edit with amounts as they are typed, not in sizes. */
type QuotaEdit = Omit<AccountEdit, "guarantee" | "max"> & { readonly guarantee?: Amount; readonly max?: Amount | null };

/** The quota as it would be typed. */
export function quotaFields({ guarantee, max, weight }: Pick<Account, "guarantee" | "max" | "weight">) {
  return { guarantee: writeAmount(guarantee), max: writeAmount(max), weight: String(weight) };
}

interface ReadEdit {
  /** Absent where nothing is changed, or something cannot be read. */
  readonly body?: QuotaEdit;
  readonly wrong: { readonly guarantee?: string; readonly max?: string; readonly weight?: string };
}

/** What is to be changed, and what is wrong with what was typed. */
export function editOf(account: Pick<Account, "path">, { guarantee, max, weight, until = "" }: QuotaDraft): ReadEdit {
  const amount = guarantee === undefined ? undefined : readAmount(guarantee);
  const most = max === undefined || max.trim() === "" ? null : readAmount(max);
  const badWeight = weight !== undefined && !/^\d{1,6}$/.test(weight.trim());
  const wrong = {
    ...(guarantee !== undefined && amount === undefined && { guarantee: wrongAmount(guarantee) }),
    ...(max !== undefined && most === undefined && { max: wrongAmount(max) }),
    ...(badWeight && { weight: `${weight.trim() || "It"} is not a weight: write a whole number such as 1.` }),
    ...(weight !== undefined && until !== "" && { weight: "The weight cannot be changed for a while only." }),
  };
  const body = {
    ...(amount !== undefined && { guarantee: amount }),
    ...(max !== undefined && most !== undefined && { max: most }),
    ...(weight !== undefined && { weight: Number(weight) }),
  };
  const isReady = Object.keys(wrong).length === 0 && Object.keys(body).length > 0 && account.path !== "";
  return isReady ? { body, wrong } : { wrong };
}
