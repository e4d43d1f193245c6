import { durationText, moneyText, unitsPerGpu } from "@tessera/core";
import { gpuHourUnitMs, gpusOf, timestamp } from "./quantities.ts";

/** Each value inside by the path of names that leads to it, in words. */
export function fieldTexts(value: unknown, currency: string): Map<string, string> {
  const texts = new Map<string, string>();
  const put = (inner: unknown, path: string): void => {
    if (inner === undefined || inner === null) return;
    if (typeof inner !== "object") texts.set(path || "value", valueText(path, inner, currency));
    else for (const [name, deeper] of Object.entries(inner)) put(deeper, path === "" ? name : `${path}.${name}`);
  };
  put(value, "");
  return texts;
}

/** Amounts of each model; the journal counts them in units. */
const isAmount = /(^|\.)(guarantee|max|lendable)\.[^.]+$/;

/** A value by the unit that the name of its field ends in: what the journal counts in is nothing to read. */
function valueText(path: string, value: unknown, currency: string): string {
  const isNumber = typeof value === "number" || typeof value === "bigint" || /^-?\d+$/.test(String(value));
  if (isNumber && /(^|\.|[a-z])[mM]icros([A-Z]|$)/.test(path)) return moneyText(BigInt(String(value)), currency);
  if (typeof value !== "number") return String(value);
  if (/unitMs(Max)?$/.test(path)) return `${value / gpuHourUnitMs} GPU-hours`;
  if (/Ms(Max|Min|Default)?$/.test(path)) return durationText(value);
  if (/(At|^from|^to|\.from|\.to)$/.test(path)) return timestamp(value);
  if (isAmount.test(path)) return `${gpusOf(value)} ${value === unitsPerGpu ? "GPU" : "GPUs"}`;
  return String(value);
}
