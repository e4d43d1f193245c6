import { setTimeout as sleep } from "node:timers/promises";
import type { Engine, Telemetry } from "@tessera/engine";
import { Collector } from "@tessera/server";
import type { TelemetryStore } from "@tessera/telemetry";
import type { LeasedFleet } from "./leased-fleet.ts";

export const ticksPerSecond = 10;

/** Has an engine tell so many samples a second to the server's collector, while something else runs. */
export class Feed {
  told = 0;
  seconds = 0;
  /** How long the thread that collects was on a core to join, pack and hand over. */
  collectingMs = 0;
  readonly #store: TelemetryStore;
  readonly #fleet: LeasedFleet;
  readonly #collector: Collector;
  #now: number;
  #tick = 0;
  #telling: Telemetry = { gpus: [], members: [] };

  constructor(store: TelemetryStore, fleet: LeasedFleet, everyMs: number) {
    this.#store = store;
    this.#fleet = fleet;
    this.#now = fleet.plant.now;
    const engine: Pick<Engine, "name" | "telemetry"> = { name: "simulated", telemetry: async () => this.#telling };
    this.#collector = new Collector({
      ...{ engines: () => [engine as Engine], state: fleet.plant.state, now: () => this.#now, everyMs },
      ...{ store, warn: (text) => console.error(text) },
    });
  }

  async during<Result>(other: Promise<Result>): Promise<Result> {
    const done = new AbortController();
    const feeding = this.#feed(done.signal);
    try {
      return await other;
    } finally {
      done.abort();
      await feeding;
    }
  }

  /** Tells the next slice at this time. */
  async tell(at: number): Promise<void> {
    this.#now = at;
    const slice = this.#tick % this.#fleet.slices;
    this.#telling = this.#fleet.tell(slice, Math.floor(this.#tick / this.#fleet.slices), at);
    const { user, system } = process.threadCpuUsage();
    await this.#collector.collect();
    const after = process.threadCpuUsage();
    this.collectingMs += (after.user - user + after.system - system) / 1_000;
    this.told += this.#telling.gpus.length;
    this.#tick++;
  }

  async #feed(until: AbortSignal): Promise<void> {
    const began = performance.now();
    for (let ticks = 1; !until.aborted; ticks++) {
      await this.tell(this.#now + 1_000 / ticksPerSecond);
      await sleep(Math.max(0, began + (ticks * 1_000) / ticksPerSecond - performance.now()));
    }
    this.seconds += (performance.now() - began) / 1_000;
    await this.#store.status();
  }
}
