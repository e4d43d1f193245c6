import { keep, readKept } from "../api/kept.ts";

/** A look at a page, by the name that its user gave it. */
export interface View {
  readonly name: string;
  /** What of the address makes it. */
  readonly search: string;
}

export const viewsMax = 20;
export const nameMax = 40;
const searchMax = 2_000;

function placeOf(user: string, page: string): string {
  return `tessera-views ${user} ${page}`;
}

/** The views of this user in this browser. */
export function readViews(user: string, page: string): readonly View[] {
  const kept = readKept(placeOf(user, page));
  return Array.isArray(kept) ? kept.filter(isView).slice(0, viewsMax) : [];
}

export function keepViews(user: string, page: string, views: readonly View[]): void {
  keep(placeOf(user, page), views);
}

/** What is kept can be anything: another program or an older console may have written it. */
export function isView(value: unknown): value is View {
  const { name, search } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof name === "string" &&
    name.trim() !== "" &&
    name.length <= nameMax &&
    typeof search === "string" &&
    search.length <= searchMax
  );
}

const looks = /(^|\.)(columns|rows|sort)$/;

/** What of an address makes a view: filters, order and columns, and not what was opened or chosen on the page. */
export function viewOf(search: string, filters: readonly string[]): string {
  const kept = new Set([...filters, "account"]);
  const pairs = [...new URLSearchParams(search)].filter(([name]) => kept.has(name) || looks.test(name));
  return new URLSearchParams(pairs.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}
