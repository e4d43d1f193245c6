import { parentPort, workerData } from "node:worker_threads";
import { busyOf } from "./busy.ts";
import { TelemetryFile } from "./file.ts";
import { Keeper } from "./keeper.ts";
import type { FromThread, Questions, ThreadStart, ThreadStatus, ToThread } from "./messages.ts";
import { TelemetryTooWide } from "./port.ts";
import { Recorder } from "./recorder.ts";
import { seriesOf } from "./series.ts";
import type { RowKey } from "./table.ts";

/** When no sample came for this long, what is in memory is written. */
const silentMsMax = 70_000;

/** The thread of the store: one message after the other, and in between what has to be done. */
function main(port: NonNullable<typeof parentPort>, { dir, settings }: ThreadStart): void {
  const tell = (message: FromThread) => port.postMessage(message);
  const warn = (text: string) => tell({ kind: "warning", text });
  const file = new TelemetryFile(dir, warn);
  const keeper = new Keeper(file, settings);
  const recorder = new Recorder(keeper);
  const keys = new Map<number, RowKey>();
  let [rowsWritten, wroteAt, working, closed] = [0, performance.now(), false, false];

  const step = (all = false): boolean => {
    if (closed) return false;
    try {
      return recorder.step(all);
    } catch (error) {
      warn(`samples could not be kept: ${(error as Error).message}`);
      return false;
    }
  };
  const flush = () => {
    while (step(true));
    keeper.settle();
  };
  const work = () => {
    working = step();
    if (working) setImmediate(work);
  };

  const status = (): ThreadStatus => {
    const [raw, minute, hour] = ([0, 1, 2] as const).map((level) => file.oldest(level, "gpu"));
    const oldest = { ...(raw && { raw }), ...(minute && { minute }), ...(hour && { hour }) };
    const { heapTotal, external } = process.memoryUsage(); // of this thread alone
    const bytes = { bytes: file.bytesOnDisk, bytesMax: settings.bytesMax, memoryBytes: heapTotal + external };
    const { user, system } = process.threadCpuUsage();
    return { ...bytes, cpuMs: (user + system) / 1_000, rowsWritten, oldest };
  };

  const answer = (message: Exclude<ToThread, { kind: "write" }>): Questions[keyof Questions]["answer"] => {
    switch (message.kind) {
      case "series":
        return file.guard(() => seriesOf(recorder, message.query), undefined) ?? seriesOf(recorder, message.query);
      case "busy":
        return file.guard(() => busyOf(recorder, message.query), undefined) ?? busyOf(recorder, message.query);
      case "status":
        return status();
      case "flush":
        flush();
        return null;
      case "close":
        flush();
        closed = true;
        file.close();
        return null;
    }
  };

  port.on("message", (message: ToThread) => {
    if (message.kind !== "write") {
      const { id } = message;
      try {
        return tell({ kind: "answer", id, answer: answer(message) });
      } catch (error) {
        const why = error instanceof TelemetryTooWide ? "too-wide" : "failed";
        return tell({ kind: "refused", id, why, message: (error as Error).message });
      }
    }
    for (const [line, key] of message.lines) keys.set(line, key);
    let dropped = 0;
    for (const batch of message.batches) {
      const left = recorder.take(batch, keys);
      rowsWritten += batch.count - left;
      dropped += left;
    }
    for (const line of message.over) keys.delete(line);
    wroteAt = performance.now();
    tell({ kind: "taken", dropped });
    if (!working) work();
  });
  setInterval(() => {
    if (performance.now() - wroteAt > silentMsMax) flush();
  }, silentMsMax / 2).unref();
  tell({ kind: "ready" });
}

if (parentPort !== null) main(parentPort, workerData as ThreadStart);
