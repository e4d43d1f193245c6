import { closeSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { LeaseId, Report } from "@tessera/core";

/** What is known of a lease besides its pod. */
export interface Remembered {
  readonly acknowledged: number;
  /** How it ended, once that was told. */
  readonly end?: Report;
}

interface Line {
  readonly l: LeaseId;
  readonly a?: number;
  readonly e?: Report;
}

/** Nothing of a lease is needed long after its end; the gate keeps a late order from running anything (0043). */
const leasesMax = 50_000;

/**
 * Remembers how leases ended and what was acknowledged, in one file that only grows until it is opened again. It spares the
 * API server a write for each report. Should it be lost, pods tell everything again that matters.
 */
export class LeaseStore {
  readonly #leases = new Map<LeaseId, Remembered>();
  readonly #file: number;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    for (const line of linesOf(path)) this.#take(line);
    const rest = [...this.#leases].map(([l, { acknowledged, end }]) => JSON.stringify({ l, a: acknowledged, e: end }));
    writeFileSync(`${path}.new`, rest.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    this.#file = openSync(path, "a");
  }

  get(lease: LeaseId): Remembered | undefined {
    return this.#leases.get(lease);
  }

  /** Leases whose end was told and is not acknowledged. */
  *open(): Generator<[LeaseId, Report]> {
    for (const [lease, { acknowledged, end }] of this.#leases) {
      if (end !== undefined && acknowledged < end.sequence) yield [lease, end];
    }
  }

  acknowledge(lease: LeaseId, sequence: number): void {
    this.#write({ l: lease, a: sequence });
  }

  end(lease: LeaseId, report: Report): void {
    this.#write({ l: lease, e: report });
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(line: Line): void {
    this.#take(line);
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  #take({ l, a, e }: Line): void {
    const known = this.#leases.get(l);
    const end = e ?? known?.end;
    this.#leases.set(l, {
      acknowledged: Math.max(a ?? 0, known?.acknowledged ?? 0),
      ...(end !== undefined && { end }),
    });
    if (this.#leases.size > leasesMax) for (const oldest of this.#leases.keys()) if (this.#leases.delete(oldest)) break;
  }
}

/** A last line that was cut off by a crash is left out. */
function* linesOf(path: string): Generator<Line> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return;
  }
  for (const line of text.split("\n")) {
    if (!line.endsWith("}")) continue;
    try {
      yield JSON.parse(line) as Line;
    } catch {
      // Two writes met in a crash; what it said is told again.
    }
  }
}
