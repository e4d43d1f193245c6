import type { QueryOf } from "@tessera/wire";
import type { WatchRoute } from "@tessera/wire/addresses";
import { usageFailure } from "../failure.ts";
import type { Filters, Noun } from "../nouns/noun.ts";
import { emitObject } from "../output/emit.ts";
import { fieldsText, objectFields } from "../output/fields.ts";
import type { Session } from "../session.ts";
import { watchList } from "../sse.ts";
import { clearScreen, redraws } from "../terminal.ts";

/** Shows everything about one thing; with `watch`, again at each change until it is gone or the user leaves. */
export async function runDescribe<Item>(
  session: Session,
  noun: Noun<Item>,
  name: string,
  flags: Filters,
): Promise<void> {
  const first = await noun.load(session, name, flags);
  if (flags.watch !== true) return show(session, noun, first);
  if (noun.watch === undefined) throw usageFailure(`${noun.plural} cannot be watched`);
  const interrupted = new AbortController();
  const release = session.terminal.onInterrupt(() => interrupted.abort());
  try {
    let last = "";
    const update = async (item: Item) => {
      const text = JSON.stringify(item);
      if (text === last) return;
      last = text;
      await show(session, noun, item, true);
    };
    await update(first);
    const key = noun.keyOf(first);
    // The list only says when to look: what is shown is the thing itself, also after it has left the list.
    const around = (noun.around?.(first) ?? {}) as QueryOf<WatchRoute>;
    const changes = watchList(await session.api(), noun.watch, around, { signal: interrupted.signal });
    for await (const change of changes) {
      const touched =
        change.event === "put"
          ? noun.keyOf(change.item as Item) === key
          : change.event !== "delete" || change.id === key;
      if (!touched) continue;
      const item = await noun.load(session, key, flags);
      await update(item);
      if ((item as { state?: string }).state === "ended") return;
    }
  } finally {
    release();
  }
}

async function show<Item>(session: Session, noun: Noun<Item>, item: Item, watching = false): Promise<void> {
  if (watching && session.format === "json") return session.print(`${JSON.stringify(item)}\n`);
  const beside = session.readable ? ((await noun.beside?.(session, item)) ?? "") : "";
  await emitObject(session, item, noun.nameOf(item), () => {
    const clear = watching && redraws(session.terminal.stdout, session.terminal.env) ? clearScreen : "";
    return clear + textOf(session, noun, item) + beside;
  });
}

function textOf<Item>(session: Session, noun: Noun<Item>, item: Item): string {
  return noun.describe?.(item, session.paint, session.now()) ?? fieldsText(objectFields(item), session.paint);
}
