import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A machine on which everything else runs too can be slow. */
const readyMsMax = 180_000;

/** One program of the lab: started, killed and started again with the same words. It ends when the lab's process ends. */
export class Daemon {
  #start;
  #child;

  constructor({ name, command, log, cwd, env = {}, isReady = async () => true }) {
    this.name = name;
    this.log = log;
    this.#start = { command, cwd, env, isReady };
  }

  get pid() {
    return this.#child?.pid;
  }

  get alive() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts it unless it runs, and waits until it is ready. */
  async start() {
    const { command, cwd, env, isReady } = this.#start;
    if (!this.alive) {
      const out = openSync(this.log, "a");
      // In a group of its own, so that Ctrl-C reaches the lab alone, which ends its daemons in order.
      this.#child = spawn("setpriv", ["--pdeathsig", "KILL", "--", ...command], {
        cwd,
        env: { ...process.env, ...env },
        stdio: ["ignore", out, out],
        detached: true,
      });
      this.#child.once("error", () => {});
    }
    for (const giveUpAt = Date.now() + readyMsMax; ; ) {
      if (await isReady().catch(() => false)) return;
      if (!this.alive) throw new Error(`${this.name} ended:\n${this.lastWords()}`);
      if (Date.now() > giveUpAt)
        throw new Error(`${this.name} is not ready after ${readyMsMax} ms:\n${this.lastWords()}`);
      await sleep(50);
    }
  }

  killNow() {
    if (this.alive) this.#child.kill("SIGKILL");
  }

  /** SIGKILL: what a lab leaves behind is thrown away, and a crash is what tests want to see. */
  async kill() {
    if (!this.alive) return;
    const ended = once(this.#child, "exit");
    this.killNow();
    await ended;
  }

  /** It stands still until `resume`, as on a machine that is too busy. */
  pause() {
    this.#child.kill("SIGSTOP");
  }

  resume() {
    this.#child.kill("SIGCONT");
  }

  lastWords() {
    return readFileSync(this.log, "utf8").split("\n").slice(-15).join("\n");
  }
}
