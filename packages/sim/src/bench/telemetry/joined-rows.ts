import type { Engine } from "@tessera/engine";
import { Collector } from "@tessera/server";
import type { TelemetryRow } from "@tessera/telemetry";
import { LeasedFleet } from "./leased-fleet.ts";

const minute = 60_000;

/** The rows that the server's collector makes of a fleet, a batch for each time that it is sampled. */
export async function* joinedRows(
  gpus: number,
  minutes: number,
  everyMs: number,
): AsyncGenerator<readonly TelemetryRow[]> {
  const fleet = new LeasedFleet(gpus);
  await fleet.prepare(fleet.nodes.length);
  let now = Math.ceil(fleet.plant.now / (60 * minute)) * 60 * minute;
  let joined: readonly TelemetryRow[] = [];
  let turn = 0;
  const engine: Pick<Engine, "name" | "telemetry"> = {
    name: "simulated",
    telemetry: async () => fleet.tell(0, turn, now),
  };
  const collector = new Collector({
    ...{ engines: () => [engine as Engine], state: fleet.plant.state, now: () => now, everyMs },
    store: {
      write: (rows) => {
        joined = rows;
      },
    },
    warn: (text) => console.error(text),
  });
  for (; turn * everyMs < minutes * minute; turn++) {
    now += everyMs;
    await collector.collect();
    yield joined;
  }
}
