import type { AuditEntry } from "@tessera/wire";
import { stops } from "../cost/stops.ts";

/** Fields by the names that forms give them. A number or a model at the end of a name stands for itself. */
const named: Readonly<Record<string, string>> = {
  limitMicros: "limit",
  alertsPerMille: "alert",
  every: "resets",
  stop: "when it is spent",
  creditLimitMicros: "credit limit",
  mode: "billed by",
  perMille: "of the list's prices",
  guarantee: "guarantee of",
  max: "at most, of",
  lendable: "lendable of",
  reservedMicros: "guaranteed, per hour",
  burstMicros: "burst, per hour",
};
const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  every: { month: "each month", once: "never" },
  stop: stops,
};
const units = /(Micros|PerMille|Ms|MiB|At)$/;

/** Acts that tell of fields; the details of others are sentences, some of which people typed. */
const withFields: ReadonlySet<string> = new Set([
  ...["account.create", "account.edit", "account.window", "budget.set", "contract.set", "policy.set"],
  ...["price.add", "tenant.bill"],
]);

type Told = Pick<AuditEntry, "action" | "detail">;

/** The detail of an entry field by field: in words, and as the journal names it. */
export function fieldsOf({ action, detail }: Told): readonly { readonly raw: string; readonly words: string }[] {
  if (!withFields.has(action)) return [{ raw: detail, words: detail }];
  return detail.split("; ").map((raw) => ({ raw, words: wordsOf(raw) }));
}

/** The same in one line. */
export function detailWords(entry: Told): string {
  return fieldsOf(entry)
    .map(({ words }) => words)
    .join("; ");
}

function wordsOf(field: string): string {
  const [, path, told] = /^([a-z][A-Za-z]*(?:\.[^:\s]+)*): (.*)$/s.exec(field) ?? [];
  if (path === undefined || told === undefined) return field;
  const parts = path.split(".");
  const last = parts.findLast((part) => /^[a-z][A-Za-z]*$/.test(part))!;
  const spelled = (value: string) => {
    if (/PerMille$|^perMille$/.test(last) && /^\d+$/.test(value)) return `${Number(value) / 10} %`;
    return values[last]?.[value] ?? value;
  };
  return `${nameOf(parts)}: ${told.split(" \u2192 ").map(spelled).join(" \u2192 ")}`;
}

/** `quota.guarantee.H100` is the guarantee of H100, `gpus.0.burstMicros` the burst price of the first row. */
function nameOf(parts: readonly string[]): string {
  const words = parts.flatMap((part, at) => {
    if (/^\d+$/.test(part)) return String(Number(part) + 1);
    if (part === "*") return "any model";
    if (at === 0 && part === "quota" && parts.length > 1) return [];
    return named[part] ?? plainName(part);
  });
  return words.join(" ");
}

/** `minRuntimeMs` is the min runtime: its value names the unit. */
function plainName(part: string): string {
  if (!/^[a-z][A-Za-z]*$/.test(part)) return part;
  return part.replace(units, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
