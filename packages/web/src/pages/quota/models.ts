import type { Account } from "@tessera/wire";

type Amounts = Pick<Account, "guarantee" | "max"> & { readonly used: Pick<Account["used"], "byModel"> };

/** The models that accounts have limits or guarantees for, or hold; `*` is none. */
export function modelsOf(accounts: readonly Amounts[]): string[] {
  const names = accounts.flatMap(({ guarantee, max = {}, used }) =>
    Object.keys({ ...guarantee, ...max, ...used.byModel }),
  );
  return [...new Set(names)].filter((name) => name !== "*").sort();
}

/** What a chart of quotas begins with: a model where limits are by model, because no limit is that of all models. */
export function firstModel(accounts: readonly Amounts[]): string | undefined {
  const limited = accounts.flatMap(({ max = {} }) => (Object.hasOwn(max, "*") ? [] : Object.keys(max)));
  return accounts.length === 1 ? limited.sort()[0] : undefined;
}
