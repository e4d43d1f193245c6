import type { Account, AccountEdit } from "@tessera/wire";
import { readWhole } from "../../format/decimal.ts";
import { type Amount, readAmount, writeAmount } from "./amounts.ts";

/** What was typed; a field that was not touched is left as it is. */
export interface QuotaDraft {
  guarantee?: string;
  max?: string;
  weight?: string;
  overcommit?: boolean;
  /** For a while only; weight and overcommit stay as they are then. */
  until?: string;
}

/** An edit with amounts as they are typed, not in sizes. */
type QuotaEdit = Omit<AccountEdit, "guarantee" | "max"> & { readonly guarantee?: Amount; readonly max?: Amount | null };

/** The quota as it would be typed. */
export function quotaFields(
  { guarantee, max, weight }: Pick<Account, "guarantee" | "max" | "weight">,
  locale?: string,
) {
  return { guarantee: writeAmount(guarantee, locale), max: writeAmount(max, locale), weight: String(weight) };
}

interface ReadEdit {
  /** Absent where nothing is changed, or something cannot be read. */
  readonly body?: QuotaEdit;
  readonly wrong: {
    readonly guarantee?: string;
    readonly max?: string;
    readonly weight?: string;
    readonly overcommit?: string;
  };
}

const noLimit = { amount: null } as const;

/** What is to be changed, and what is wrong with what was typed. */
export function editOf(
  account: Pick<Account, "path">,
  { guarantee, max, weight, overcommit, until = "" }: QuotaDraft,
  locale?: string,
): ReadEdit {
  const amount = guarantee === undefined ? undefined : readAmount(guarantee, locale);
  const most = max === undefined ? undefined : max.trim() === "" ? noLimit : readAmount(max, locale);
  const shares = weight === undefined ? undefined : readWhole(weight, { least: 0, most: 1_000 }, locale);
  const wrong = {
    ...(amount !== undefined && "wrong" in amount && { guarantee: amount.wrong }),
    ...(most !== undefined && "wrong" in most && { max: most.wrong }),
    ...(shares !== undefined && "wrong" in shares && { weight: shares.wrong }),
    ...(weight !== undefined && until !== "" && { weight: "The weight cannot be changed for a while only." }),
    ...(overcommit !== undefined && until !== "" && { overcommit: "It cannot be changed for a while only." }),
  };
  const body = {
    ...(amount !== undefined && "amount" in amount && { guarantee: amount.amount }),
    ...(most !== undefined && "amount" in most && { max: most.amount }),
    ...(shares !== undefined && "value" in shares && { weight: shares.value }),
    ...(overcommit !== undefined && { overcommit }),
  };
  const isReady = Object.keys(wrong).length === 0 && Object.keys(body).length > 0 && account.path !== "";
  return isReady ? { body, wrong } : { wrong };
}
