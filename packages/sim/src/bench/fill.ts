import { eventsIn, recover, requestOf, type Store, Writer } from "@tessera/server";
import { BusyFleet } from "./busy-fleet.ts";

export interface Filled {
  readonly events: number;
  readonly rows: number;
  readonly seconds: number;
  /** Simulated time. */
  readonly days: number;
}

/** Fills an empty store through the writer until it holds `events` events, with snapshots as a server writes them, and closes it. */
export async function fillStore(
  store: Store,
  events: number,
  seed: number,
  snapshotEveryEvents: number,
  progress: (events: number) => void,
): Promise<Filled> {
  const began = performance.now();
  const { state, head } = await recover(store);
  const fleet = new BusyFleet(seed);
  const { clock } = fleet;
  const startedAt = clock.now();
  const writer = new Writer({ store, state, head, clock, snapshotEveryEvents, freeBytesMin: 0 });
  for (let inputs = fleet.found(); writer.head.events < events; inputs = fleet.nextInputs()) {
    const written = await writer.write(inputs.map((input) => requestOf(input)));
    fleet.learn(eventsIn(written.events), state);
    await writer.snapshotIfDue();
    if (writer.head.seq % 5_000 === 0) progress(writer.head.events);
  }
  await store.close();
  return {
    events: writer.head.events,
    rows: writer.head.seq,
    seconds: Number(((performance.now() - began) / 1000).toFixed(1)),
    days: Number(((clock.now() - startedAt) / 86_400_000).toFixed(2)),
  };
}
