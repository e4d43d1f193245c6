import { setTimeout as sleep } from "node:timers/promises";

/** A part is passed on when it has this many characters, or this long after its first item. */
const partCharactersMax = 64 * 1024;
const partMs = 50;

/** Items as they come, some at a time: one by one, an event each would cost more than what it carries. */
export async function* inParts<Item>(
  items: AsyncIterable<Item>,
  textOf: (item: Item) => string,
): AsyncGenerator<readonly string[]> {
  const source = items[Symbol.asyncIterator]();
  let next = source.next();
  try {
    for (let over = false; !over; ) {
      const first = await next;
      if (first.done) return;
      const part = [textOf(first.value)];
      let characters = part[0]!.length;
      next = source.next();
      const late = sleep(partMs, "late" as const);
      while (characters < partCharactersMax) {
        const got = await Promise.race([next, late]);
        if (got === "late") break;
        over = got.done === true;
        if (got.done) break;
        const text = textOf(got.value);
        part.push(text);
        characters += text.length;
        next = source.next();
      }
      yield part;
    }
  } finally {
    next.catch(() => {}); // its reader has left
    void source.return?.().catch(() => {});
  }
}
