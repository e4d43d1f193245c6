import type { RouteId } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../failure.ts";
import type { Filters, Noun, PageOfItems } from "../nouns/noun.ts";
import { checkNames, emitList, emitObject, type ListOptions, listText } from "../output/emit.ts";
import type { Session } from "../session.ts";
import { fetchPages } from "./pages.ts";

export interface ListFlags extends ListOptions {
  readonly limit?: string;
  readonly watch?: boolean;
}

// The most that one page, and so the beginning of a watched list, can hold.
const watchedMax = 1_000;

/** The flags of every list. */
export function addListFlags(command: Command): Command {
  return command
    .option("--limit <count>", "show at most this many")
    .option("--sort-by <column>", "order by a column or a field of the object; -column reverses it")
    .option("--columns <names>", "show these columns or fields, separated by commas")
    .option("--no-headers", "leave the header line out");
}

export function addWatchFlag(command: Command): Command {
  return command.option("-w, --watch", "keep running and show changes; one JSON line each with -o json");
}

/** Lists a noun, or shows the items named. */
export async function runList<Item>(
  session: Session,
  noun: Noun<Item>,
  names: readonly string[],
  flags: ListFlags & Filters,
): Promise<void> {
  const limit = limitOf(flags);
  await checkNames({ columns: noun.columns, fields: () => fieldsOf(noun.watch ?? noun.list) }, flags);
  if (names.length > 0) return listNamed(session, noun, names, flags);
  const query = await noun.queryOf(flags, session);
  const api = await session.api();
  if (flags.watch) {
    if (noun.watch === undefined) throw usageFailure(`${noun.plural} cannot be watched`);
    const { runWatch } = await import("./watch.ts");
    return runWatch(session, noun, { ...query, limit: Math.min(watchedMax, limit ?? watchedMax) }, flags);
  }
  const most = limit ?? noun.limit?.(query);
  // Of a list that is cut the server must say what comes first: the first rows sorted here would be others.
  const sort = most === undefined ? undefined : sortAtServer(noun.sorts, flags.sortBy);
  const page = await fetchPages(noun, api, { ...query, ...(sort !== undefined && { sort }) }, most);
  await emitPage(session, noun, page, flags);
}

function sortAtServer(sorts: Noun<never>["sorts"], sortBy: string | undefined): string | undefined {
  const down = sortBy?.startsWith("-") ? "-" : "";
  const name = sorts?.[sortBy?.slice(down.length) ?? ""];
  return name && `${down}${name}`;
}

/** The fields of the objects of a list, by wire's schema; loading it takes a while. */
async function fieldsOf(route: RouteId | undefined): Promise<readonly string[]> {
  if (route === undefined) return [];
  const { routes } = await import("@tessera/wire");
  const { properties } = routes[route].answer as { properties?: { items?: { items?: { properties?: object } } } };
  return Object.keys(properties?.items?.items?.properties ?? {});
}

async function listNamed<Item>(
  session: Session,
  noun: Noun<Item>,
  names: readonly string[],
  flags: ListFlags & Filters,
): Promise<void> {
  const items: Item[] = [];
  for (const name of names) items.push(await noun.load(session, name, flags));
  if (flags.watch) {
    if (noun.watch === undefined) throw usageFailure(`${noun.plural} cannot be watched`);
    const { runWatch } = await import("./watch.ts");
    const keys = new Set(items.map(noun.keyOf));
    return runWatch(session, noun, await noun.queryOf({ ...flags, all: true }, session), flags, (item) =>
      keys.has(noun.keyOf(item)),
    );
  }
  if (items.length > 1) return emitList(session, { items }, noun, flags);
  // One thing asked for by name is answered as that thing, not as a list of one.
  await emitObject(session, items[0]!, noun.nameOf(items[0]!), () => listText(session, items, noun, flags));
}

/** Prints a page of a list, and says when there is more. */
export async function emitPage<Item>(
  session: Session,
  noun: Pick<Noun<Item>, "columns" | "nameOf" | "plural" | "watch" | "list">,
  page: PageOfItems<Item>,
  flags: ListOptions,
): Promise<void> {
  await emitList(session, page, { ...noun, fields: () => fieldsOf(noun.watch ?? noun.list) }, flags);
  if (!session.readable) return;
  if (page.items.length === 0) await session.note(`No ${noun.plural}.`);
  if (page.next !== undefined) await session.note(`The first ${page.items.length} are shown; --limit shows more.`);
}

/** How many are wanted at most. */
export function limitOf({ limit }: ListFlags): number | undefined {
  return limit === undefined ? undefined : parseLimit(limit);
}

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw usageFailure(`--limit must be a whole number above 0, got "${text}"`);
}
