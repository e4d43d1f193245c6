import type { WhatIfAsk } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import { tess } from "../../format/command.ts";
import { readDecimal } from "../../format/decimal.ts";

/** One change of a question, as it is typed. */
export type ChangeDraft =
  | {
      readonly kind: "quota";
      readonly account: string;
      readonly field: QuotaField;
      readonly model: string;
      readonly amount: string;
    }
  | { readonly kind: "policy"; readonly key: PolicyKey; readonly value: string }
  | {
      readonly kind: "nodes";
      readonly sign: "more" | "fewer";
      readonly nodes: string;
      readonly gpus: string;
      readonly model: string;
    };

export const quotaFields = {
  guarantee: "guarantee",
  max: "at most",
  lendable: "lent at most",
  weight: "weight of the surplus",
} as const;
export type QuotaField = keyof typeof quotaFields;

export const policyKeys = {
  rebalance: "evict for a fair share (on, checkpointed, off)",
  backfill: "plan ahead (on, off)",
  "min-runtime": "not evicted for (such as 5m)",
  grace: "grace (such as 30s)",
  "moves-per-hour": "moves per hour (such as 60)",
} as const;
export type PolicyKey = keyof typeof policyKeys;

/** A change in the words of `tess what-if`, or what is wrong with it. */
export function textOf(change: ChangeDraft, locale?: string): { text: string } | { wrong: string } {
  switch (change.kind) {
    case "quota": {
      const { account, field, model, amount } = change;
      if (account === "") return { wrong: "Choose an account." };
      if (field === "weight")
        return /^\d{1,6}$/.test(amount)
          ? { text: `quota.${account}.weight=${amount}` }
          : { wrong: "Type a whole number." };
      if (model !== "" && !/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(model))
        return { wrong: `${model} is not a GPU model.` };
      const size = amount === "none" && field !== "guarantee" ? { plain: amount } : readDecimal(amount, locale);
      if (!/\p{Nd}/u.test(amount) && "wrong" in size)
        return { wrong: `Type a number of GPUs${field === "guarantee" ? "" : ", or none"}.` };
      if ("wrong" in size) return size;
      if (size.plain !== "none" && !/^\d{1,7}(\.\d{1,3})?$/.test(size.plain))
        return { wrong: `${amount} is not a number of GPUs below 10 million with at most three decimals.` };
      return { text: `quota.${account}.${field}${model === "" ? "" : `.${model}`}=${size.plain}` };
    }
    case "policy":
      return isPolicyValue(change.key, change.value)
        ? { text: `${change.key}=${change.value}` }
        : { wrong: `Type ${policyKeys[change.key].replace(/^.*\(|\)$/g, "")}.` };
    case "nodes": {
      const { sign, nodes, gpus, model } = change;
      if (!/^[1-9]\d{0,4}$/.test(nodes) || !/^[1-9]\d{0,2}$/.test(gpus))
        return { wrong: "Type whole numbers of nodes and GPUs." };
      return { text: `${sign === "fewer" ? "-" : ""}${nodes}x${gpus}${model === "" ? "" : `:${model}`}` };
    }
  }
}

function isPolicyValue(key: PolicyKey, value: string): boolean {
  if (key === "rebalance") return ["on", "checkpointed", "off"].includes(value);
  if (key === "backfill") return value === "on" || value === "off";
  return key === "moves-per-hour" ? /^\d{1,7}$/.test(value) : readDuration(value) !== undefined;
}

/** Whether it says since when: how long before the newest entry, or an instant. */
export function isSince(text: string): boolean {
  return readDuration(text) !== undefined || /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?$/.test(text);
}

/** A question as the address keeps it. */
export function paramsOf(ask: WhatIfAsk, run?: string): URLSearchParams {
  const params = new URLSearchParams({ from: ask.from });
  for (const text of ask.sets ?? []) params.append("set", text);
  for (const text of ask.policies ?? []) params.append("policy", text);
  for (const text of ask.nodes ?? []) params.append("nodes", text);
  if (ask.hardQuotas) params.set("hard", "1");
  if (run !== undefined) params.set("run", run);
  return params;
}

/** The question that an address holds. */
export function askOf(params: URLSearchParams): WhatIfAsk {
  const [sets, policies, nodes] = [params.getAll("set"), params.getAll("policy"), params.getAll("nodes")];
  return {
    from: params.get("from") ?? "7d",
    ...(sets.length > 0 && { sets }),
    ...(policies.length > 0 && { policies }),
    ...(nodes.length > 0 && { nodes }),
    ...(params.get("hard") === "1" && { hardQuotas: true }),
  };
}

/** The changes of a question, each in the words of the command. */
export function changesOf({ sets = [], policies = [], nodes = [], hardQuotas = false }: WhatIfAsk): string[] {
  return [...sets, ...policies, ...nodes.map((text) => `nodes ${text}`), ...(hardQuotas ? ["hard quotas"] : [])];
}

/** The same question on the command line. */
export function commandOf({ from, sets = [], policies = [], nodes = [], hardQuotas = false }: WhatIfAsk): string {
  return tess([
    ...["what-if", "--from", from],
    ...sets.flatMap((text) => ["--set", text]),
    ...policies.flatMap((text) => ["--policy", text]),
    ...nodes.map((text) => `--nodes=${text}`),
    ...(hardQuotas ? ["--hard-quotas"] : []),
  ]);
}
