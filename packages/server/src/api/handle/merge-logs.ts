/** How long a line waits for an earlier one of another stream before it is passed on. */
const patienceMs = 50;
/** The same while a stream has said nothing at all: what it has to say may lie on a slow disk or another machine. */
const firstPatienceMs = 1_000;

interface Head<Item> {
  readonly stream: AsyncIterator<Item>;
  item: Item | undefined;
  done: boolean;
  /** It has said something. */
  begun: boolean;
  /** It kept the others waiting once; until its next item the others do not wait for it. */
  quiet: boolean;
  pending: Promise<void> | undefined;
  error: unknown;
}

/** Calls `add` for each stream that joins later, until the returned function is called. */
export type Joining<Item> = (add: (stream: AsyncIterable<Item>) => void) => () => void;

/**
 * Several streams that are each ordered by time as one. While all have something to say the order is exact; a stream
 * that is silent holds the others up only for a moment, since it may be silent for hours.
 */
export async function* mergeByTime<Item extends { readonly at: number }>(
  streams: readonly AsyncIterable<Item>[],
  signal: AbortSignal,
  joining?: Joining<Item>,
): AsyncGenerator<Item> {
  const heads = streams.map(headOf);
  let wake = () => {};
  const left = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  const joiningEnds = joining?.((stream) => {
    heads.push(headOf(stream));
    wake();
  });
  try {
    while (!signal.aborted) {
      for (const head of heads) askNext(head);
      const joined = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const next = await earliest(heads, Promise.race([left, joined]));
      if (next === undefined) {
        if (heads.every((head) => head.done)) return;
        continue;
      }
      const item = next.item!;
      next.item = undefined;
      yield item;
    }
  } finally {
    joiningEnds?.();
    for (const head of heads) if (!head.done) head.stream.return?.()?.catch(() => {});
  }
}

function headOf<Item>(stream: AsyncIterable<Item>): Head<Item> {
  return {
    stream: stream[Symbol.asyncIterator](),
    item: undefined,
    done: false,
    begun: false,
    quiet: false,
    pending: undefined,
    error: undefined,
  };
}

/** The stream whose next item is the earliest, after a short wait for those that have none yet. */
async function earliest<Item extends { readonly at: number }>(heads: readonly Head<Item>[], changed: Promise<void>) {
  const waiting = heads.flatMap((head) => head.pending ?? []);
  if (heads.every((head) => head.item === undefined) && waiting.length > 0) await Promise.race([...waiting, changed]);
  if (heads.some((head) => head.item !== undefined)) {
    const awaited = heads.filter((head) => head.pending !== undefined && !head.quiet);
    if (awaited.length > 0) {
      await Promise.race([
        Promise.all(awaited.map((head) => head.pending)),
        changed,
        pause(awaited.some(({ begun }) => !begun) ? firstPatienceMs : patienceMs),
      ]);
      for (const head of awaited) head.quiet = head.pending !== undefined;
    }
  }
  let best: Head<Item> | undefined;
  for (const head of heads) {
    if (head.error !== undefined) throw head.error;
    if (head.item !== undefined && (best === undefined || head.item.at < best.item!.at)) best = head;
  }
  return best;
}

function askNext<Item>(head: Head<Item>): void {
  if (head.done || head.item !== undefined || head.pending !== undefined) return;
  head.pending = head.stream.next().then(
    (result) => {
      head.pending = undefined;
      head.quiet = false;
      head.begun = true;
      if (result.done) head.done = true;
      else head.item = result.value;
    },
    (error) => {
      head.pending = undefined;
      head.done = true;
      head.error = error ?? new Error("a stream failed");
    },
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
