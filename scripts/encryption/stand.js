import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = process.env.TESSERA_ROOT ?? process.cwd();
const node = process.execPath;

/** Words that must be found nowhere. In commands the first four are hidden from a search, so that what is found is what it says. */
export const canaries = {
  secret: "canary-secret-5d1f",
  log: "canary-log-71c2",
  code: "canary-code-a0e4",
  output: "canary-output-3b97",
  command: "canary-command-c8d0",
  environment: "canary-environment-19ab",
  name: "canary-name-77ce",
};

/** What a journal in clear text shows. */
export const inJournal = ["command", "environment", "name"];

export const hidden = (word) => {
  const turned = word.replaceAll(/[a-z]/g, (letter) =>
    String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97),
  );
  return `$(echo ${turned} | tr a-z n-za-m)`;
};

/** An installation with its master key elsewhere, the programs that work on it, and one server at a time. */
export class Stand {
  folder = mkdtempSync(join(tmpdir(), "tessera-encryption-"));
  data = join(this.folder, "data");
  master = join(this.folder, "elsewhere", "master.key");
  #database;
  #env;
  #child;
  #said = "";

  constructor({ database, env = {} } = {}) {
    this.#database = database;
    this.#env = env;
    mkdirSync(join(this.folder, "elsewhere"), { mode: 0o700 });
  }

  get said() {
    return this.#said;
  }

  get alive() {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  #place(data) {
    const database = this.#database === undefined || data !== this.data ? [] : ["--database", this.#database];
    return ["--data", data, ...database, "--master-key", this.master];
  }

  run(program, args, options = {}) {
    return new Promise((resolve) => {
      const child = spawn(node, [join(root, program), ...args], { cwd: this.folder, ...options });
      let [out, err] = ["", ""];
      child.stdout.on("data", (part) => (out += part));
      child.stderr.on("data", (part) => (err += part));
      child.stdin.end(options.input ?? "");
      child.once("close", (code) => resolve({ code, out, err }));
    });
  }

  tess(args, options = {}) {
    return this.run("packages/cli/dist/main.js", ["--data", options.data ?? this.data, ...args], options);
  }

  /** What an owner does; the answer as a value. Throws when it fails. */
  async admin(args, data = this.data) {
    const done = await this.run("packages/server/dist/admin.js", [...args, ...this.#place(data), "-o", "json"]);
    if (done.code !== 0) throw new Error(`tess admin ${args.join(" ")}: ${done.err}${done.out}`);
    return JSON.parse(done.out);
  }

  /** `crashAt` is the step of a rotation at which the server kills itself. */
  async start({ data = this.data, crashAt } = {}) {
    const args = [...this.#place(data), "--port", "0", "--virtual", "1x8:H100", "--free-space-min", "1"];
    const crash = crashAt === undefined ? {} : { TESSERA_CRASH_AT: `resealing:${crashAt}` };
    const child = spawn(node, [join(root, "packages/server/dist/main.js"), ...args], {
      ...{ cwd: this.folder, env: { ...process.env, ...this.#env, ...crash } },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    const from = this.#said.length;
    await new Promise((resolve, reject) => {
      child.stderr.on("data", (part) => {
        this.#said += part;
        if (this.#said.slice(from).includes("ready at")) resolve();
      });
      child.once("exit", () => reject(new Error(`the server ended: ${this.#said.slice(from)}`)));
    });
  }

  /** Resolves when the server is gone. */
  end(signal) {
    return new Promise((resolve) => {
      if (!this.alive) return resolve();
      this.#child.once("exit", resolve);
      if (signal !== undefined) this.#child.kill(signal);
    });
  }

  async close() {
    await this.end("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}
