import { closeSync, openSync, writeSync } from "node:fs";

/**
 * One decision. A gang over several nodes has one row a node, with the same start and end; a task that was stopped and
 * started again has rows for each run; a task that was never placed has one row without a node.
 */
export interface Decision {
  /** As the trace names it; a task drawn again is `name#2`, then `name#3`. */
  readonly task: string;
  /** Empty when the task was dropped. */
  readonly node: string;
  /** Numbers of the devices taken on this node, from 0. */
  readonly devices: readonly number[];
  /** Thousandths of a GPU taken on each of the devices. */
  readonly milli: number;
  /** In seconds on the trace's own clock, text times as UTC; where a protocol has no time, the number of the arrival. */
  readonly start: number;
  readonly end: number;
}

export const decisionLogHeader = "task,node,devices,milli,start,end";

const flushAtRows = 4096;

/** Writes decisions in the order in which they were taken. */
export class DecisionLog {
  readonly #file: number;
  #lines: string[] = [decisionLogHeader];

  constructor(path: string) {
    this.#file = openSync(path, "w");
  }

  write({ task, node, devices, milli, start, end }: Decision): void {
    this.#lines.push(`${task},${node},${devices.join(";")},${milli},${start},${end}`);
    if (this.#lines.length >= flushAtRows) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    writeSync(this.#file, this.#lines.map((line) => `${line}\n`).join(""));
    this.#lines = [];
  }
}
