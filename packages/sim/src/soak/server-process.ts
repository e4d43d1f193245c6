import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../server/dist/main.js", import.meta.url));
const linesKept = 40;

export interface ServerStart {
  readonly data: string;
  readonly database?: string;
  readonly leaseSeconds?: number;
  readonly virtual: string;
  /** `phase:n`: a SIGKILL of itself at the n-th pass, from its start or once the file is there. */
  readonly crash?: { readonly at: string; readonly armedBy?: string };
}

export interface ServerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real control plane in a process of its own. */
export class ServerProcess {
  readonly pid: number;
  readonly ended: Promise<ServerEnd>;
  /** Its address once it is ready; undefined when it ended before. */
  readonly url: Promise<string | undefined>;
  /** The last lines of its output. */
  readonly said: string[] = [];
  readonly #child: ChildProcess;
  readonly #armedBy: string | undefined;

  constructor(start: ServerStart) {
    const { data, database, leaseSeconds, virtual, crash } = start;
    this.#armedBy = crash?.armedBy;
    const args = ["--data", data, "--port", "0", "--virtual", virtual];
    if (database !== undefined) args.push("--database", database);
    if (leaseSeconds !== undefined) args.push("--lease-seconds", String(leaseSeconds));
    const { TESSERA_DATABASE_URL: _, ...env } = process.env;
    this.#child = spawn(process.execPath, [program, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        ...env,
        ...(crash && { TESSERA_CRASH_AT: crash.at }),
        ...(crash?.armedBy && { TESSERA_CRASH_ARMED_BY: crash.armedBy }),
      },
    });
    this.pid = this.#child.pid!;
    this.ended = new Promise((resolve) => this.#child.once("exit", (code, signal) => resolve({ code, signal })));
    const ready = new Promise<string>((resolve) => {
      createInterface(this.#child.stderr!).on("line", (line) => {
        this.said.push(line);
        if (this.said.length > linesKept) this.said.shift();
        const url = /ready at (http:\S+)/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    });
    this.url = Promise.race([ready, this.ended.then(() => undefined)]);
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** From now on passes through its phase count. */
  arm(): void {
    if (this.#armedBy !== undefined) writeFileSync(this.#armedBy, "");
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<ServerEnd> {
    this.signal(signal);
    return this.ended;
  }
}
