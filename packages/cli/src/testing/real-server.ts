import assert from "node:assert/strict";
import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../main.js", import.meta.url));

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A control plane of its own on virtual GPUs, reached as a clone's is: by what it wrote into its data folder. */
export class RealServer {
  readonly env: NodeJS.ProcessEnv;
  readonly #home: string;
  /** Where commands are typed. */
  readonly folder: string;
  readonly #data: string;
  #child: ChildProcess | undefined;

  /** For one test, which ends it; without one the caller does. */
  constructor(t?: TestContext) {
    t?.after(() => this.end());
    const folder = mkdtempSync(join(tmpdir(), "tess-real-"));
    this.#home = folder;
    this.folder = join(folder, "desk");
    mkdirSync(this.folder);
    this.#data = join(folder, "data");
    this.env = { PATH: process.env.PATH, HOME: folder, TESSERA_DATA: this.#data };
  }

  /** What `npm start` does before it installs, builds and starts anything. */
  announce(): void {
    mkdirSync(this.#data, { recursive: true });
    const announced = { pid: process.pid, startedAt: null, host: hostname(), step: "installing and building" };
    writeFileSync(join(this.#data, "starting.json"), JSON.stringify(announced));
  }

  async start(): Promise<void> {
    const args = [program, "server", "--port", "0", "--virtual", "2x4:H100", "--free-space-min", "1"];
    this.#child = spawn(process.execPath, args, { env: this.env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    // Left open: a server that cannot write to it any more would end.
    for await (const part of this.#child.stderr!.iterator({ destroyOnReturn: false })) {
      said += part;
      if (said.includes("ready at")) break;
    }
    assert.match(said, /ready at/);
    assert.ok(said.includes(`npx tess --data ${this.#data} run `), "the command that finds this server");
    this.#child.stderr!.resume();
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // `tess server` only stands in front; the control plane is the process that wrote this.
    const { pid } = JSON.parse(readFileSync(join(this.#data, "endpoint.json"), "utf8"));
    process.kill(pid, signal);
    await once(child, "exit");
  }

  /** Ends it with all that it runs, and removes what it wrote. */
  async end(): Promise<void> {
    const { out } = await this.tess("ps", "-A", "-o", "name");
    const jobs = out.split("\n").filter((id) => id !== "");
    if (jobs.length > 0) await this.tess("cancel", "-y", ...jobs);
    if (jobs.length > 0) await this.tess("wait", ...jobs, "--timeout", "10s");
    await this.stop("SIGTERM");
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Where it listens. */
  get url(): string {
    return JSON.parse(readFileSync(join(this.#data, "endpoint.json"), "utf8")).url;
  }

  /** Asks the API as the owner, or with another token; for what a test needs and is not about. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async call(method: string, path: string, body?: unknown, token = this.#ownerToken): Promise<any> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  get #ownerToken(): string {
    return readFileSync(join(this.#data, "owner.token"), "utf8").trim();
  }

  /** A command that goes on; its streams are the caller's. */
  spawn(...args: string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [program, ...args], { env: this.env, cwd: this.folder });
  }

  tess(...args: string[]): Promise<Run> {
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [program, ...args],
        { env: this.env, cwd: this.folder },
        (_error, out, err) => resolve({ code: child.exitCode ?? -1, out, err }),
      );
    });
  }
}
