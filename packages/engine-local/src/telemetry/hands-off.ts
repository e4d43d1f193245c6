import { type FSWatcher, watch } from "node:fs";
import { mkdir } from "node:fs/promises";
import { isAnyLocked } from "../part/lock.ts";

/**
 * Whether supervisors reset or cut GPUs now. The driver refuses both while another program has the GPU open, so they must be
 * let go as soon as that begins.
 */
export class HandsOff {
  readonly #folder: string;
  readonly #letGo: () => void;
  #watcher: FSWatcher | undefined;

  /** `folder` is where supervisors keep the locks of GPUs. */
  constructor(folder: string, letGo: () => void) {
    this.#folder = folder;
    this.#letGo = letGo;
  }

  async isAsked(): Promise<boolean> {
    await this.#watch();
    return isAnyLocked(this.#folder);
  }

  close(): void {
    this.#watcher?.close();
  }

  async #watch(): Promise<void> {
    if (this.#watcher !== undefined) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    try {
      this.#watcher = watch(this.#folder, (_, name) => {
        if (name?.endsWith(".lock")) this.#letGo();
      });
      this.#watcher.on("error", () => {}).unref();
    } catch {
      // No watch is left on this machine: what they do is tried several times, and seen at the next reading.
    }
  }
}
