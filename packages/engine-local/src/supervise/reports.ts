import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Report, ReportWhat } from "@tessera/core";
import { upMs } from "@tessera/engine";
import { syncFolder } from "../lease/durable.ts";
import { leaseFile } from "../lease/folder.ts";
import type { RunSheet } from "./sheet.ts";

/** Numbers the reports of one lease and makes each durable before it is told. */
export class ReportWriter {
  readonly #folder: string;
  readonly #sheet: RunSheet;
  #tail: Promise<void> = Promise.resolve();
  #sequence = 0;
  #lastAt = 0;
  #bytes = 0;

  constructor(folder: string, sheet: RunSheet) {
    this.#folder = folder;
    this.#sheet = sheet;
  }

  /** Reports become durable one after the other, in the order in which they were written. */
  write(what: ReportWhat): Promise<void> {
    this.#tail = this.#tail.then(() => this.#write(what));
    return this.#tail;
  }

  /** A disk that is full now may have room later; until then the member stays as it is and nothing is lost. */
  async #write(what: ReportWhat): Promise<void> {
    this.#sequence += 1;
    this.#lastAt = Math.max(this.#lastAt, Date.now());
    const report: Report = {
      lease: this.#sheet.order.lease,
      sequence: this.#sequence,
      bootId: this.#sheet.bootId,
      at: this.#lastAt,
      upMs: upMs(),
      what,
    };
    while (!this.#append(`${JSON.stringify(report)}\n`)) await sleep(1_000);
    if (this.#sequence === 1) await syncFolder(this.#folder);
    this.#hint();
  }

  #append(line: string): boolean {
    const file = openSync(join(this.#folder, leaseFile.reports), "a", 0o600);
    try {
      const bytes = Buffer.from(line);
      if (writeSync(file, bytes) !== bytes.length) throw new Error("the disk took only a part of the line");
      fsyncSync(file);
      this.#bytes += bytes.length;
      return true;
    } catch {
      ftruncateSync(file, this.#bytes);
      return false;
    } finally {
      closeSync(file);
    }
  }

  #hint(): void {
    try {
      closeSync(openSync(this.#sheet.hintFile, "w", 0o600));
    } catch {
      // Only a hint: the engine also looks by itself.
    }
  }
}
