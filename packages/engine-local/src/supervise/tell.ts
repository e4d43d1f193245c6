import { constants } from "node:os";
import { basename } from "node:path";
import { argumentsOf, findProcess, handles, type ProcessEntry, sendSignal } from "./processes.ts";

/** A parent that has ended is noticed this much later at most. */
const lookEveryMs = 100;

/**
 * Sends a signal to every process of a job, with one exception. A Python program that handles the signal is told for the
 * workers that it has forked: a data loader of PyTorch takes the death of a worker for a failure and raises an error in
 * the middle of the save. Workers that their program leaves behind get the signal when it has ended.
 */
export class Telling {
  readonly #processes: () => readonly number[];
  readonly #spared = new Map<number, { readonly worker: ProcessEntry; readonly signal: NodeJS.Signals }>();
  #timer: NodeJS.Timeout | undefined;

  /** `processes` gives the numbers of the job's processes. */
  constructor(processes: () => readonly number[]) {
    this.#processes = processes;
  }

  tell(signal: NodeJS.Signals): void {
    // All are looked at before any is told: a program may drop its handler with the first signal.
    const found = this.#processes().map((pid) => ({ pid, worker: workerOf(pid, signal) }));
    for (const { pid, worker } of found) {
      if (worker === undefined) sendSignal(pid, signal);
      else this.#spared.set(pid, { worker, signal });
    }
    if (this.#spared.size > 0) this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
  }

  /** Nothing is left to tell. */
  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const [pid, { worker, signal }] of this.#spared) {
      const now = findProcess(pid);
      if (now?.startedAt === worker.startedAt && now.parent === worker.parent) continue;
      this.#spared.delete(pid);
      if (now?.startedAt === worker.startedAt) sendSignal(pid, signal);
    }
  }
}

/** The process if it is a worker: forked by a Python program that handles the signal, and not another program since. */
function workerOf(pid: number, signal: NodeJS.Signals): ProcessEntry | undefined {
  const entry = findProcess(pid);
  if (entry === undefined || !handles(entry.parent, constants.signals[signal])) return undefined;
  const own = argumentsOf(pid);
  return isPython(own) && own === argumentsOf(entry.parent) ? entry : undefined;
}

function isPython(words: string): boolean {
  return /^python[\d.]*$/.test(basename(words.split("\0", 1)[0]!));
}
