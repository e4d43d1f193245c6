import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Event, Input, RawJob } from "@tessera/core";
import { openStore, recover, requestOf, Underway, Writer } from "@tessera/server";
import { askForGang, askForOne } from "./mix.ts";
import { Plant, succeeded } from "./plant.ts";
import { Lap, type Measured, Stopwatch } from "./stopwatch.ts";

/** As many as the server's writer finds in its inbox while a commit is on its way, under load. */
const perBatch = 200;
const gangRounds = 5;

export function fill(gpus: number, seed: number): Measured {
  const watch = fillWith(gpus, seed, gpus, askForOne, 1);
  return watch.measured(`${gpus} one-GPU jobs of 300 teams onto an empty fleet, ${perBatch} submissions a batch`);
}

export function gangs(gpus: number, seed: number): Measured {
  const count = Math.floor(gpus / 64);
  const watch = fillWith(gpus, seed, count, askForGang, gangRounds);
  return watch.measured(
    `${count} gangs of 8 nodes x 8 GPUs, block preferred, onto an empty fleet, ${gangRounds} times, ${perBatch} submissions a batch`,
  );
}

function fillWith(gpus: number, seed: number, count: number, ask: Ask, rounds: number): Stopwatch {
  const plant = new Plant(gpus, seed);
  const watch = new Stopwatch();
  for (let round = 0; round < rounds; round++) {
    const batches = batchesOf(plant, count, ask);
    let placed = 0;
    for (const inputs of taken(batches)) {
      plant.now += 10;
      placed += countPlaced(watch.time(() => plant.decide(inputs), countPlaced));
    }
    if (placed !== count) throw new Error(`${placed} of ${count} jobs were placed`);
    if (round < rounds - 1)
      plant.decide([...plant.state.jobs.values()].flatMap((job) => plant.reports(job, succeeded)));
  }
  return watch;
}

type Ask = (random: () => number) => RawJob;

/** The same as `fill`, through the server's writer: decided, hashed, projected, and committed to SQLite with fsync. */
export async function journal(gpus: number, seed: number): Promise<Measured> {
  const dir = mkdtempSync(join(tmpdir(), "tessera-scheduler-"));
  const store = await openStore({ dir });
  try {
    const { state, head } = await recover(store);
    const plant = new Plant(gpus, seed, undefined, state);
    const clock = { now: () => plant.now, at: () => () => {} };
    const writer = new Writer({ store, state, head, clock, snapshotEveryEvents: 100_000, freeBytesMin: 0 });
    const watch = new Stopwatch();
    // Made in portions, so that inputs not yet sent do not count as the server's memory.
    for (let from = 0; from < gpus; from += journalPortion) {
      // The API's thread serialises an input and hands it over.
      const batches = batchesOf(plant, Math.min(journalPortion, gpus - from), askForOne, writerBatch).map((inputs) =>
        inputs.map((input) => requestOf(input)),
      );
      // As in the server, a batch is decided while the one before is made durable; the time is from commit to commit.
      let lap = new Lap();
      const underway = new Underway();
      for (const requests of taken(batches)) {
        plant.now += 10;
        const { length } = requests;
        const durable = writer.write(requests).then(() => {
          watch.add(lap, length);
          lap = new Lap();
        });
        await underway.add(durable);
      }
      await underway.done();
    }
    if (state.leases.size !== gpus) throw new Error(`${state.leases.size} of ${gpus} jobs were placed`);
    return watch.measured(
      `fill through the server's writer, each batch of ${writerBatch} committed to SQLite with fsync`,
    );
  } finally {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The most that the server's writer takes at once. */
const writerBatch = 1_000;
const journalPortion = 10 * writerBatch;

function batchesOf(plant: Plant, count: number, ask: Ask, size = perBatch): Input[][] {
  const batches: Input[][] = [];
  for (let from = 0; from < count; from += size) {
    const length = Math.min(size, count - from);
    batches.push(Array.from({ length }, () => plant.submit(ask(plant.random))));
  }
  return batches;
}

/** Each item in turn; like an inbox, it forgets the items that were taken. */
function* taken<Batch>(batches: Batch[]): Generator<Batch> {
  for (let next = batches.shift(); next !== undefined; next = batches.shift()) yield next;
}

export function countPlaced(events: readonly Event[]): number {
  let placed = 0;
  for (const event of events) if (event.kind === "job-placed") placed++;
  return placed;
}
