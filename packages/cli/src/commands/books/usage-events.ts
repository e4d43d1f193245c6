import { setTimeout as sleep } from "node:timers/promises";
import type { Session } from "../../session.ts";

interface EventFlags {
  readonly account?: string;
  readonly after?: string;
  readonly follow?: boolean;
}

const pageSize = 1_000;
const askEveryMs = 2_000;

/** Writes what was metered as CloudEvents, one a line; the cursor in the last line is where to go on. */
export async function usageEvents(session: Session, { account, after, follow }: EventFlags): Promise<void> {
  const api = await session.api();
  const interrupted = new AbortController();
  const release = session.terminal.onInterrupt(() => interrupted.abort());
  let cursor = after;
  try {
    while (!interrupted.signal.aborted) {
      const from = cursor === undefined ? {} : { cursor };
      const query = { limit: pageSize, ...from, ...(account !== undefined && { account }) };
      const { items, next } = await api.call("listUsageEvents", { query });
      for (const event of items) await session.print(`${JSON.stringify(event)}\n`);
      cursor = items.at(-1)?.cursor ?? cursor;
      if (next !== undefined) continue;
      if (follow !== true) return;
      await sleep(askEveryMs, undefined, { signal: interrupted.signal }).catch(() => {});
    }
  } finally {
    release();
  }
}
