import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Order } from "./arrivals.ts";
import type { Mark } from "./run.ts";
import type { MixKnowledge } from "./tessera.ts";

/** What all runs of one command have in common. */
export interface Setting {
  readonly nodes: string;
  readonly tasks: string;
  readonly order: Order;
  readonly mix: MixKnowledge;
  readonly arrivedPercents: readonly number[];
  /** Whether tasks leave again: the percents are then of demand at once. */
  readonly departures: boolean;
}

export interface RunOrder {
  readonly policy: string;
  readonly seed: number;
  readonly log?: string;
}

/** What came of one run: a mark for each percent asked for, and how long it computed. */
export interface RunResult {
  readonly marks: readonly Mark[];
  readonly ms: number;
}

/** Runs all orders, as many at a time as the machine has cores, and answers the results in their order. */
export async function runMany(
  setting: Setting,
  orders: readonly RunOrder[],
  onDone: (order: RunOrder) => void,
): Promise<RunResult[]> {
  const results: RunResult[] = [];
  let next = 0;
  const threads = Math.min(orders.length, availableParallelism());
  await Promise.all(Array.from({ length: threads }, work));
  return results;

  async function work(): Promise<void> {
    const worker = new Worker(new URL("./thread.js", import.meta.url), { workerData: setting });
    try {
      while (next < orders.length) {
        const at = next++;
        results[at] = await answerTo(worker, orders[at]!);
        onDone(orders[at]!);
      }
    } finally {
      await worker.terminate();
    }
  }
}

function answerTo(worker: Worker, order: RunOrder): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.postMessage(order);
  });
}
