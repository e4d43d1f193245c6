import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { StopOrder } from "@tessera/engine";
import { leaseFile } from "../lease/folder.ts";

/** A lost signal costs a second, not the order. */
const lookEveryMs = 1_000;

const abandoned: StopOrder = { signal: "SIGTERM", graceMs: 5_000 };

/** What the control plane wants of a member, read from its folder. SIGUSR2 says "look now"; the files are the truth. */
export class Orders {
  readonly #folder: string;
  readonly #timer: NodeJS.Timeout;
  #stopText = "";
  #released = false;
  #listener: ((stop: StopOrder) => void) | undefined;
  #wake: () => void = () => {};

  /** From here on SIGUSR2 is safe to send; without a listener it would end the process. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
    process.on("SIGUSR2", () => this.#look());
  }

  /** Waits for the first order of a held member: true = it may go, false = it must not. */
  async releasedOrStopped(): Promise<boolean> {
    this.#look();
    while (!this.#released && this.#stopText === "") {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#stopText === "";
  }

  /** Calls `listener` for a stop order that is there already and for each later one that differs. */
  onStop(listener: (stop: StopOrder) => void): void {
    this.#listener = listener;
    if (this.#stopText !== "") listener(JSON.parse(this.#stopText) as StopOrder);
    this.#look();
  }

  /** The job will start again: the newest stop order says so. */
  get returns(): boolean {
    return this.#stopText !== "" && (JSON.parse(this.#stopText) as StopOrder).returns === true;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#listener = undefined;
  }

  #look(): void {
    // Without the folder no stop order can reach the member any more: it stops when the folder is removed.
    const isThere = existsSync(this.#folder);
    this.#released ||= existsSync(join(this.#folder, leaseFile.release));
    this.#take(isThere || this.#stopText !== "" ? this.#readStop() : JSON.stringify(abandoned));
  }

  #take(stopText: string): void {
    if (stopText !== this.#stopText) {
      this.#stopText = stopText;
      this.#listener?.(JSON.parse(stopText) as StopOrder);
    }
    this.#wake();
  }

  #readStop(): string {
    try {
      return readFileSync(join(this.#folder, leaseFile.stop), "utf8");
    } catch {
      return this.#stopText;
    }
  }
}
