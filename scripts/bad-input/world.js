import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runTess } from "../../packages/cli/dist/testing/terminal.js";
import { root } from "../launch/root.js";

const program = join(root, "packages/server/dist/main.js");
const usual = ["--virtual", "2x4:H100", "--port", "0", "--free-space-min", "1"];

/** One real server on virtual GPUs, and a folder in which people type. */
export class World {
  #child;
  #url;
  #accountToken;

  constructor(folder) {
    this.folder = folder;
    this.data = join(folder, "data");
    this.home = join(folder, "home");
    this.work = join(folder, "work");
    for (const each of [this.home, this.work]) mkdirSync(each, { recursive: true });
  }

  async start() {
    const { child, said } = await this.startServer(["--data", this.data, ...usual]);
    this.#child = child;
    if (!said.includes("ready at")) throw new Error(`the server did not start: ${said}`);
    const { url, tokenFile } = JSON.parse(readFileSync(join(this.data, "endpoint.json"), "utf8"));
    this.#url = url;
    this.#accountToken = readFileSync(tokenFile, "utf8").trim();
    // The first run says that GPUs are virtual; that is not what the rows are about.
    await this.type(["run", "--wait", "--gpus", "1", "--", "true"]);
  }

  get url() {
    return this.#url;
  }

  get port() {
    return new URL(this.#url).port;
  }

  /** Starts a server and reads what it says until it is ready or has ended. */
  async startServer(args) {
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env.PATH, HOME: this.home },
    });
    let said = "";
    // Left open: a server that cannot write to it any more would end.
    for await (const part of child.stderr.iterator({ destroyOnReturn: false })) {
      said += part;
      if (said.includes("ready at")) break;
    }
    child.stderr.resume();
    return { child, said };
  }

  /** What a server says that does not come up, and its exit code. */
  async failedStart(args) {
    const { child, said } = await this.startServer(args);
    if (child.exitCode === null) {
      if (said.includes("ready at")) child.kill("SIGTERM");
      await once(child, "exit");
    }
    return { text: said, code: child.exitCode };
  }

  file(name, content) {
    const path = join(this.work, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  /** What tess answers: both streams and the exit code. */
  async type(argv, { token = this.#accountToken, server = this.#url, input = "" } = {}) {
    const env = {
      HOME: this.home,
      PATH: process.env.PATH ?? "",
      // Its own server is found by its folder, which also tells the key that it shows.
      ...(server === this.#url ? { TESSERA_DATA: this.data } : server !== undefined && { TESS_SERVER: server }),
      ...(token !== undefined && { TESS_TOKEN: token }),
    };
    const { code, out, err } = await runTess(argv, { env, cwd: this.work, input });
    return { text: out + err, code };
  }

  /** Types something that must succeed. */
  async must(...argv) {
    const { text, code } = await this.type(argv);
    if (code !== 0) throw new Error(`tess ${argv.join(" ")}: ${text}`);
    return text;
  }

  sleep(ms) {
    return sleep(ms);
  }

  async stop() {
    if (this.#child === undefined || this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }
}
