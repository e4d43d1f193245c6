import { parentPort, workerData } from "node:worker_threads";
import { Damaged } from "../flow/series/faults.ts";
import { openReader } from "../store/index.ts";
import { SeriesFollower } from "./series-follower.ts";
import type { FromSeries, SeriesStart, ToSeries } from "./series-messages.ts";
import { yieldToOthers } from "./thread.ts";

/** The thread that follows the journal and answers what it knows of the past. */
async function main(port: NonNullable<typeof parentPort>, { store, file }: SeriesStart): Promise<void> {
  yieldToOthers();
  const tell = (message: FromSeries) => port.postMessage(message);
  const warn = (text: string) => tell({ kind: "warning", text });
  // Heard from the beginning: what comes before the store is open waits here.
  const opening = openReader(store).then((reader) => SeriesFollower.open(reader, file, warn));
  opening.catch(() => {});
  let following = false;
  const follow = async (seen: Extract<ToSeries, { kind: "seen" | "ask" }>) => {
    if (following) return;
    following = true;
    try {
      const follower = await opening;
      await follower.follow(seen);
    } catch (error) {
      end(error);
      throw error;
    } finally {
      following = false;
    }
  };
  port.on("message", async (message: ToSeries) => {
    switch (message.kind) {
      case "seen":
        return follow(message).catch(() => {}); // has ended the thread
      case "ask": {
        const { id, query } = message;
        try {
          const follower = await opening;
          // On the long way through an old journal what is there already is shown.
          if (!following && message.seq - follower.seq < rowsNear) await within(newestMsMax, follow(message));
          return tell({ kind: "answer", id, answer: follower.answer(query, message.now) });
        } catch (error) {
          if (error instanceof Damaged) end(error);
          return tell({ kind: "failed", id, message: (error as Error).message });
        }
      }
      case "close":
        await (await opening).close();
        tell({ kind: "closed" });
        port.close();
    }
  });
  await opening;
}

/**
 * Ends the thread once those who asked are answered; it is begun again from what is on the disk. A follower that failed
 * half-way must not go on: what it remembers and what it has written may differ.
 */
function end(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

/** The most rows that are read before a question is answered. */
const rowsNear = 2_000;
/**
 * How long a question waits for the newest minute. A browser has six connections to a server: charts that wait for
 * long keep everything else from it, the next page too.
 */
const newestMsMax = 300;

/** Waits for something no longer than this; it goes on. */
async function within(msMax: number, work: Promise<void>): Promise<void> {
  await Promise.race([work, new Promise<void>((resolve) => setTimeout(resolve, msMax).unref())]);
}

if (parentPort !== null) void main(parentPort, workerData as SeriesStart);
