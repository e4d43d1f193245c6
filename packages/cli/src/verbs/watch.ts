import type { QueryOf } from "@tessera/wire";
import type { WatchRoute } from "@tessera/wire/addresses";
import type { Noun, Query } from "../nouns/noun.ts";
import { sortItems } from "../output/column.ts";
import { type ListOptions, listText } from "../output/emit.ts";
import type { Session } from "../session.ts";
import { type Change, watchList } from "../sse.ts";
import { clearScreen, redraws } from "../terminal.ts";

const redrawMsMin = 100;

/** Shows a list and what becomes of it, until the user has seen enough. */
export async function runWatch<Item>(
  session: Session,
  noun: Noun<Item>,
  query: Query,
  options: ListOptions,
  wanted: (item: Item) => boolean = () => true,
): Promise<void> {
  const interrupted = new AbortController();
  const release = session.terminal.onInterrupt(() => interrupted.abort());
  const screen = screenOf(session, noun, options);
  try {
    const changes = watchList(await session.api(), noun.watch as WatchRoute, query as QueryOf<WatchRoute>, {
      signal: interrupted.signal,
      onLost: ({ message }) => void session.note(`${message}; trying again`),
      onBack: () => void session.note("the server is back"),
    });
    for await (const change of changes as AsyncIterable<Change<Item>>) await screen.show(only(change, wanted));
  } finally {
    screen.end();
    release();
  }
}

function only<Item>(change: Change<Item>, wanted: (item: Item) => boolean): Change<Item> | undefined {
  if (change.event === "sync") return { event: "sync", items: change.items.filter(wanted) };
  return change.event === "put" && !wanted(change.item) ? undefined : change;
}

interface Screen<Item> {
  show(change: Change<Item> | undefined): Promise<void>;
  end(): void;
}

function screenOf<Item>(session: Session, noun: Noun<Item>, options: ListOptions): Screen<Item> {
  if (session.format === "json" || session.format === "yaml") return jsonLines(session);
  if (noun.grows || !session.readable || !redraws(session.terminal.stdout, session.terminal.env)) {
    return growingLines(session, noun, options);
  }
  return redrawn(session, noun, options);
}

/** One line for each change, as the server sends it. */
function jsonLines<Item>(session: Session): Screen<Item> {
  return {
    show: async (change) => change && session.print(`${JSON.stringify(change)}\n`),
    end() {},
  };
}

/** For pipes and histories: each new or changed item is one more line. */
function growingLines<Item>(session: Session, noun: Noun<Item>, options: ListOptions): Screen<Item> {
  const shown = new Map<string, string>();
  let headers = options.headers ?? true;
  const add = async (items: readonly Item[]) => {
    const fresh = items.filter((item) => shown.get(noun.keyOf(item)) !== JSON.stringify(item));
    for (const item of fresh) shown.set(noun.keyOf(item), JSON.stringify(item));
    if (fresh.length === 0) return;
    await session.print(listText(session, fresh, noun, { ...options, headers }));
    headers = false;
  };
  return {
    async show(change) {
      if (change?.event === "sync")
        await add(noun.grows ? change.items.toReversed() : sortItems(change.items, noun.columns, options.sortBy));
      else if (change?.event === "put") await add([change.item]);
      else if (change?.event === "delete") shown.delete(change.id);
    },
    end() {},
  };
}

/** For a terminal: the whole list is drawn again, at most ten times a second; ages move on by themselves. */
function redrawn<Item>(session: Session, noun: Noun<Item>, options: ListOptions): Screen<Item> {
  const items = new Map<string, Item>();
  let pending: NodeJS.Timeout | undefined;
  const draw = () => {
    pending = undefined;
    const sorted = sortItems([...items.values()], noun.columns, options.sortBy);
    const text = sorted.length === 0 ? `No ${noun.plural}.\n` : listText(session, sorted, noun, options);
    void session.print(clearScreen + text);
  };
  const ageing = setInterval(draw, 1_000);
  return {
    async show(change) {
      if (change?.event === "sync") {
        items.clear();
        for (const item of change.items) items.set(noun.keyOf(item), item);
      } else if (change?.event === "put") items.set(noun.keyOf(change.item), change.item);
      else if (change?.event === "delete") items.delete(change.id);
      pending ??= setTimeout(draw, redrawMsMin);
    },
    end() {
      clearTimeout(pending);
      clearInterval(ageing);
    },
  };
}
