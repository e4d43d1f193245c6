import { setTimeout as sleep } from "node:timers/promises";
import type { TelemetryStore } from "@tessera/telemetry";

/** The most that the thread of the store had in memory while this ran, looked at twice a second. */
export async function memoryDuring(store: TelemetryStore, run: () => Promise<void>): Promise<number> {
  let most = 0;
  const done = new AbortController();
  const looking = (async () => {
    while (!done.signal.aborted) {
      most = Math.max(most, (await store.status()).memoryBytes);
      await sleep(500);
    }
  })();
  try {
    await run();
  } finally {
    done.abort();
    await looking;
  }
  return Math.round(most / 2 ** 20);
}
