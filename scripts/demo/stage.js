import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { styleText } from "node:util";
import { Failure } from "../launch/failure.js";
import { root } from "../launch/root.js";

/** From then on nothing is paused any more: a slow machine must not make the demo longer than two minutes. */
const pausesUntilMs = 95_000;
const headingWidthMax = 100;

/** Someone pressed Ctrl-C, or told the demo to end. */
export class Interrupted extends Error {
  constructor(signal) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Where the demo happens: shows a command line, has a shell run exactly that line, and leaves time to read. */
export class Stage {
  #desk;
  #fast;
  #startedAt = performance.now();
  #child;
  #interruptedBy;
  #hurry = new AbortController();

  constructor({ data, desk }, { fast }) {
    this.#desk = desk;
    this.#fast = fast;
    this.env = environment(data, desk);
  }

  heading(text) {
    const width = Math.min(process.stdout.columns || headingWidthMax, headingWidthMax);
    process.stdout.write(`\n${paint(["bold", "cyan"], `── ${text} `.padEnd(width, "─"))}\n`);
  }

  say(text) {
    process.stdout.write(`${text}\n`);
  }

  show(user, line) {
    process.stdout.write(`\n${paint("green", `${user} $`)} ${paint("bold", line)}\n`);
  }

  /** Shows the line, runs it as this user, and fails unless it ends with the exit code that the story expects. */
  async run(user, line, { exit = 0, pauseMs } = {}) {
    this.show(user, line);
    const code = await this.#shell(user, line, 1);
    this.#checkInterrupted();
    if (code !== 0) this.say(paint("dim", `(exit code ${code})`));
    if (code !== exit) {
      throw new Failure(`the demo went wrong: the last command was to end with ${exit}`, { advice: "See above." });
    }
    await this.pause(pauseMs);
  }

  /** Runs a line as the owner behind the scenes; answers its exit code. */
  quietly(line) {
    return this.#shell("owner", line, "ignore");
  }

  /** What a line prints, run as the owner behind the scenes. */
  async answer(line) {
    let text = "";
    const code = await this.#shell("owner", line, "pipe", (chunk) => {
      text += chunk;
    });
    if (code !== 0) throw new Failure(`the demo went wrong: this failed: ${line}`, { advice: "See above." });
    return text.trim();
  }

  /** Puts a file on the desk. */
  write(name, text) {
    writeFileSync(join(this.#desk, name), text);
  }

  /** Tries a line behind the scenes until it succeeds. */
  async until(line) {
    for (let tries = 0; tries < 100; tries++) {
      if ((await this.quietly(line)) === 0) return;
      this.#checkInterrupted();
      await sleep(100);
    }
    throw new Failure(`the demo went wrong: this did not come true: ${line}`, { advice: "See above." });
  }

  async pause(ms = 1000) {
    if (!this.#fast && performance.now() - this.#startedAt < pausesUntilMs) {
      await sleep(ms, undefined, { signal: this.#hurry.signal }).catch(() => {});
    }
    this.#checkInterrupted();
  }

  seconds() {
    return Math.round((performance.now() - this.#startedAt) / 1000);
  }

  /** Ends the command that runs; what comes after it throws Interrupted. */
  interrupt(signal) {
    this.#interruptedBy ??= signal;
    this.#hurry.abort();
    this.#child?.kill(signal);
  }

  async #shell(user, line, output, onText) {
    const child = spawn("/bin/sh", ["-c", `tess() { "$DEMO_NODE" "$DEMO_TESS" "$@"; }\n${line}`], {
      cwd: this.#desk,
      env: { ...this.env, ...this.#tokenOf(user) },
      stdio: ["ignore", output, output], // both on standard output, so that they keep their order
    });
    this.#child = child;
    child.stdout?.setEncoding("utf8").on("data", onText);
    const [code, signal] = await once(child, "close");
    this.#child = undefined;
    return code ?? 128 + constants.signals[signal];
  }

  /** The owner needs none: like the CLI of any clone, it finds the token that the server made. */
  #tokenOf(user) {
    return user === "owner" ? {} : { TESS_TOKEN: readFileSync(join(this.#desk, `${user}.token`), "utf8").trim() };
  }

  #checkInterrupted() {
    if (this.#interruptedBy !== undefined) throw new Interrupted(this.#interruptedBy);
  }
}

/** The environment of everything in the demo: nothing of the user's own Tessera or configuration reaches it. */
function environment(data, desk) {
  const own = Object.entries(process.env).filter(([name]) => !/^TESS(ERA)?_/.test(name));
  return {
    ...Object.fromEntries(own),
    TESSERA_ROOT: root,
    TESSERA_DATA: data,
    XDG_CONFIG_HOME: desk,
    XDG_CACHE_HOME: desk,
    DEMO_NODE: process.execPath,
    DEMO_TESS: join(root, "packages/cli/dist/main.js"),
    DEMO_HISTORY: join(root, "packages/sim/dist/history/main.js"),
  };
}

function paint(style, text) {
  return styleText(style, text, { stream: process.stdout });
}
