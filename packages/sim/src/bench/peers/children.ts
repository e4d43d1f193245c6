import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The processes of a peer and the folder they write to; none of it outlives the measurement. */
export class Children {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[] = [];

  constructor(peer: string, env: NodeJS.ProcessEnv = process.env) {
    this.folder = mkdtempSync(join(tmpdir(), `tessera-${peer}-`));
    this.#env = env;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** What it says goes to the file `<name>.out`. */
  spawn(name: string, program: string, args: readonly string[]): ChildProcess {
    const out = openSync(this.path(`${name}.out`), "a");
    const child = spawn(program, args, { env: this.#env, cwd: this.folder, stdio: ["ignore", out, out] });
    closeSync(out);
    child.on("error", (error) => writeFileSync(this.path(`${name}.out`), error.message));
    this.#children.push(child);
    return child;
  }

  /** The last lines of a file, for a failure. */
  lastWords(file: string): string {
    try {
      return readFileSync(this.path(file), "utf8").trim().split("\n").slice(-2).join("; ");
    } catch {
      return "";
    }
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A free port of the loopback address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
