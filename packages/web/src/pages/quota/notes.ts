import type { Account } from "@tessera/wire";
import { spellDay } from "../../format/times.ts";

type Window = NonNullable<Account["windows"]>[number];

/** Notes on an account's quota beyond its numbers: overcommitted, given in sizes, changed for a time. */
export function notesOf(account: Pick<Account, "overcommitted" | "guaranteeSizes" | "windows">): string[] {
  const sizes = Object.entries(account.guaranteeSizes ?? {}).map(([name, many]) => `${many} ${name}`);
  return [
    ...(account.overcommitted ? ["overcommitted: the guarantees below exceed the guarantee here"] : []),
    ...(sizes.length > 0 ? [`guaranteed ${sizes.join(", ")}`] : []),
    ...(account.windows ?? []).map(spellWindow),
  ];
}

/** What a quota is for a while, and when. */
export function spellWindow({ from, to, state, refused, quota }: Window): string {
  const changes = Object.entries(quota).map(([field, value]) => `${field} ${spellValue(value)}`);
  const when =
    state === "active"
      ? `until ${spellDay(Date.parse(to))}`
      : `${spellDay(Date.parse(from))} to ${spellDay(Date.parse(to))}`;
  const not = refused === undefined ? "" : `, not in force: ${refused}`;
  return `${when}: ${changes.join(", ")}${not}`;
}

function spellValue(value: unknown): string {
  if (value === null) return "none";
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([model, many]) => (model === "*" ? String(many) : `${many} ${model}`))
    .join(", ");
}
