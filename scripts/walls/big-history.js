import { mkdirSync } from "node:fs";
import { eventsIn, recover, requestOf, Writer } from "@tessera/server";
import { openUnsyncedSqliteStore } from "@tessera/server/testing/unsynced-store";
import { BusyFleet } from "../../packages/sim/dist/bench/busy-fleet.js";

/** Fills a store with days of a busy fleet, through the writer: ended jobs, usage, books and audit. */
export async function fillHistory(folder, { events, msMax }) {
  const startedAt = performance.now();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const store = await openUnsyncedSqliteStore(folder);
  const { state, head } = await recover(store);
  const fleet = new BusyFleet(7);
  const writer = new Writer({ store, state, head, clock: fleet.clock, snapshotEveryEvents: 1e9, freeBytesMin: 0 });
  let ended = 0;
  const isDone = () => writer.head.events >= events || performance.now() - startedAt > msMax;
  for (let inputs = fleet.found(); !isDone(); inputs = fleet.nextInputs()) {
    const written = await writer.write(inputs.map((input) => requestOf(input)));
    const made = eventsIn(written.events);
    ended += made.filter(({ kind }) => kind === "job-ended").length;
    fleet.learn(made, state);
  }
  await writer.snapshot();
  await store.close();
  return { ended, days: (fleet.clock.now() - Date.UTC(2026, 0, 5, 8)) / 86_400_000 };
}
