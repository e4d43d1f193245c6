import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Failure } from "../launch/failure.js";
import { root } from "../launch/root.js";

const program = join(root, "packages/server/dist/main.js");
// Without root, its two tenants would be one too many.
const shared = process.getuid() === 0 ? [] : ["--tenants-share-user"];
const options = ["--virtual", "4x8:H100", "--port", "0", ...shared];

/** The control plane of the demo: a child process that is started, killed and started again on the stage. */
export class DemoServer {
  #stage;
  #child;

  constructor(stage) {
    this.#stage = stage;
  }

  get pid() {
    return this.#child.pid;
  }

  get running() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whether it went down without a word, and left jobs behind. */
  get wasKilled() {
    return this.#child?.signalCode === "SIGKILL";
  }

  /** Starts it and shows what it says until it is ready. */
  async start() {
    this.#stage.show("owner", `tess server ${options.join(" ")} &`);
    // In a session of its own: Ctrl-C must not reach it, since jobs are cancelled while it still answers.
    const child = spawn(process.execPath, [program, ...options], {
      env: this.#stage.env,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    this.#child = child;
    await new Promise((resolve, reject) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        this.#stage.say(line);
        if (line.includes("ready at")) resolve();
      });
      child.once("error", reject);
      child.once("exit", (code, signal) => {
        reject(new Failure(`the server ended while starting (${code ?? signal})`, { advice: "See above." }));
      });
    });
  }

  /** Waits until it has ended, however it was told to. */
  async ended() {
    if (this.running) await once(this.#child, "exit");
  }

  async stop() {
    if (!this.running) return;
    this.#child.kill("SIGTERM");
    await this.ended();
  }
}
