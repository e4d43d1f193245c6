import { type ChildProcess, spawn } from "node:child_process";
import { newId } from "../flow/ids.ts";
import { Lines } from "./lines.ts";

/** What is asked, as the program takes it. */
export interface WhatIfQuestion {
  readonly from: string;
  readonly sets?: readonly string[];
  readonly policies?: readonly string[];
  readonly nodes?: readonly string[];
  readonly hardQuotas?: boolean;
}

export interface WhatIfRun {
  readonly id: string;
  readonly ask: WhatIfQuestion;
  readonly startedAt: number;
  state: "running" | "done" | "failed" | "cancelled";
  endedAt?: number;
  step?: string;
  /** From 0 to 1. */
  done?: number;
  failure?: string;
  /** The program's own report. */
  report?: unknown;
}

export interface WhatIfOptions {
  /** The program of the package what-if: this one may not know it. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
  readonly limits?: WhatIfLimits;
}

export interface WhatIfLimits {
  readonly timeMs: number;
  readonly memoryMiB: number;
}

const usualLimits: WhatIfLimits = { timeMs: 30 * 60_000, memoryMiB: 4_096 };
const runsKept = 8;
const reportCharsMax = 4_000_000;
const saidCharsMax = 2_000;

/**
 * Runs the what-if program beside the server, one at a time: it reads the store by itself, so that neither the writer
 * nor the API waits for it. It ends by itself when its time or memory is used up.
 */
export class WhatIfRuns {
  readonly #options: WhatIfOptions;
  readonly #runs = new Map<string, WhatIfRun>();
  #child: ChildProcess | undefined;
  #current: WhatIfRun | undefined;

  constructor(options: WhatIfOptions) {
    this.#options = options;
  }

  /** The one that runs. */
  get current(): WhatIfRun | undefined {
    return this.#current;
  }

  get(id: string): WhatIfRun | undefined {
    return this.#runs.get(id);
  }

  /** Starts one; undefined while another runs. */
  start(ask: WhatIfQuestion): WhatIfRun | undefined {
    if (this.#current !== undefined) return undefined;
    const { now, limits = usualLimits } = this.#options;
    const run: WhatIfRun = { id: newId("wif_"), ask, startedAt: now(), state: "running", done: 0 };
    this.#runs.set(run.id, run);
    for (const id of [...this.#runs.keys()].slice(0, -runsKept)) this.#runs.delete(id);
    this.#current = run;
    this.#spawn(run, limits);
    return run;
  }

  /** Ends one that runs; one that has ended stays as it is. */
  cancel(id: string): WhatIfRun | undefined {
    const run = this.#runs.get(id);
    if (run !== undefined && run === this.#current) this.#end(run, { state: "cancelled" });
    return run;
  }

  close(): void {
    if (this.#current !== undefined) this.#end(this.#current, { state: "cancelled" });
  }

  #spawn(run: WhatIfRun, { timeMs, memoryMiB }: WhatIfLimits): void {
    const { program, args, env } = this.#options;
    const words = [
      `--max-old-space-size=${memoryMiB}`,
      program,
      ...args,
      ...wordsOf(run.ask),
      "-o",
      "json",
      "--progress",
    ];
    const child = spawn(process.execPath, words, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    let out = "";
    let said = "";
    const late = setTimeout(
      () =>
        this.#end(run, { state: "failed", failure: `It took longer than ${timeMs / 60_000} minutes. Ask for less.` }),
      timeMs,
    );
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      out += part;
      if (out.length > reportCharsMax) this.#end(run, { state: "failed", failure: "Its report is too large." });
    });
    const lines = new Lines((line) => {
      const told = progressOf(line);
      if (told === undefined) said = `${said}${line}\n`.slice(-saidCharsMax);
      else Object.assign(run, told);
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => lines.add(part));
    child.on("error", (error) => this.#end(run, { state: "failed", failure: error.message }));
    child.on("close", (code, signal) => {
      clearTimeout(late);
      if (code === 0) return this.#finish(run, out);
      // A program that uses up its memory is ended by its own abort.
      const failure =
        signal === "SIGABRT" || code === 134
          ? `It needed more than ${memoryMiB} MiB of memory. Ask for less.`
          : said.trim();
      this.#end(run, { state: "failed", failure: failure || `It ended with ${signal ?? code}.` });
    });
  }

  #finish(run: WhatIfRun, out: string): void {
    try {
      this.#end(run, { state: "done", report: JSON.parse(out) as unknown });
    } catch (cause) {
      this.#end(run, { state: "failed", failure: `Its report cannot be read: ${(cause as Error).message}` });
    }
  }

  #end(run: WhatIfRun, how: Pick<WhatIfRun, "state"> & Partial<WhatIfRun>): void {
    if (run.state !== "running") return;
    Object.assign(run, { endedAt: this.#options.now(), ...how });
    delete run.step;
    delete run.done;
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
    this.#current = undefined;
  }
}

/** Each as one word, so that none can be taken for another option. */
function wordsOf({ from, sets = [], policies = [], nodes = [], hardQuotas = false }: WhatIfQuestion): string[] {
  return [
    `--from=${from}`,
    ...sets.map((text) => `--set=${text}`),
    ...policies.map((text) => `--policy=${text}`),
    ...nodes.map((text) => `--nodes=${text}`),
    ...(hardQuotas ? ["--hard-quotas"] : []),
  ];
}

/** A line such as `{"step":"reads the journal","done":0.4}`. */
function progressOf(line: string): { step: string; done: number } | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { step, done } = JSON.parse(line) as { step?: unknown; done?: unknown };
    return typeof step === "string" && typeof done === "number" ? { step, done } : undefined;
  } catch {
    return undefined;
  }
}
