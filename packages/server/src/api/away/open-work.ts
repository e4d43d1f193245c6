import { totalmem } from "node:os";
import type { ControlPlane } from "../../flow/control.ts";
import { Pool } from "../../work/pool.ts";
import { isLarge } from "./away.ts";
import type { AnsweringConfig, AnsweringTasks, ApiWork, ReadingTasks } from "./tasks.ts";

const mebibyte = 1024 * 1024;
const seconds = 1_000;

/** A body of the largest size takes a few dozen MiB while it is read. */
const readingMemory = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 };
/** A state of its own, and what a report takes beside it. */
const answeringMemory = {
  maxOldGenerationSizeMb: Math.max(512, Math.floor(totalmem() / mebibyte / 4)),
  maxYoungGenerationSizeMb: 48,
};

/** How often a thread takes in what was committed where the state is large and the first answer would wait for it. */
const keepUpMs = 15 * seconds;

/**
 * The threads beside the API's: one reads large bodies, up to two answer what may take long. Where the state is large,
 * one of the two is opened before anybody asks: reading a large state takes many seconds on a busy machine.
 */
export function openWork(
  control: Pick<ControlPlane, "ask" | "now" | "capabilities" | "state">,
  seq: () => number,
  config: AnsweringConfig,
): ApiWork & { close(): Promise<void> } {
  const shared = {
    seen: () => ({ seq: seq(), now: control.now(), capabilities: control.capabilities }),
    ask: control.ask.bind(control),
    idleMsMax: 600 * seconds,
  };
  const reading = new Pool<ReadingTasks>({
    ...shared,
    program: new URL("./reading-thread.js", import.meta.url),
    workerData: null,
    threadsMax: 1,
    limits: readingMemory,
    queue: { perCaller: 32, all: 256 },
    taskMsMax: 10 * seconds,
  });
  const answering = new Pool<AnsweringTasks>({
    ...shared,
    program: new URL("./answering-thread.js", import.meta.url),
    workerData: config,
    threadsMax: 2,
    limits: answeringMemory,
    queue: { perCaller: 32, all: 256 },
    taskMsMax: 60 * seconds,
  });
  let isKeeping = false;
  const keepUp = async () => {
    if (isKeeping || !isLarge(control.state)) return;
    isKeeping = true;
    // Where it cannot be done now, the next answer says why.
    await answering.run("keepUp", null, "system keepUp").catch(() => {});
    isKeeping = false;
  };
  const keeping = setInterval(keepUp, keepUpMs).unref();
  return {
    reading,
    answering,
    async close() {
      clearInterval(keeping);
      await reading.close();
      await answering.close();
    },
  };
}
