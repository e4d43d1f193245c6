import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { standardPath } from "../../supervise/job.ts";
import { driverVariables } from "../smi.ts";
import type { MpsPlace } from "./place.ts";

export function controlProgram(): string {
  return process.env[driverVariables.mps] ?? "nvidia-cuda-mps-control";
}

/** The daemon answers at once; one that has not by then hangs in the driver. */
const answerMsMax = 30_000;

interface Said {
  readonly code: number;
  readonly text: string;
}

/** Commands to the daemon of a place, in one go. Throws with what it said, where it did not take one of them. */
export async function command(place: MpsPlace, ...texts: readonly string[]): Promise<string> {
  const said = await run(place, [], `${texts.join("\n")}\n`);
  if (said.code === 0 && !/^(Failed|Cannot|Error|Invalid)/im.test(said.text)) return said.text.trim();
  throw new Error(`MPS does not take "${texts.join("; ")}": ${firstLine(said.text)}`);
}

/**
 * Starts the daemon of a place. One server for several users needs a daemon of root and a driver that knows the option;
 * the answer says whether it is so.
 */
export async function startDaemon(place: MpsPlace): Promise<{ readonly severalUsers: boolean }> {
  if (process.getuid?.() === 0) {
    const several = await run(place, ["-d", "-multiuser-server"]);
    if (several.code === 0 && (await answers(place))) return { severalUsers: true };
  }
  const single = await run(place, ["-d"]);
  if (single.code !== 0 || !(await answers(place)))
    throw new Error(`the MPS daemon cannot be started: ${firstLine(single.text)}`);
  return { severalUsers: false };
}

/** Whether a daemon is there and answers; it needs a moment after its start. */
export async function answers(place: MpsPlace, triesMax = 20): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const said = await run(place, [], "get_default_active_thread_percentage\n");
    if (said.code === 0 && /^\d/m.test(said.text)) return true;
    if (tries >= triesMax) return false;
    await sleep(100);
  }
}

/** The servers of a daemon, which it starts with its first client. */
export function serversIn(said: string): string[] {
  return said.split("\n").filter((line) => /^\d+$/.test(line));
}

function run(place: MpsPlace, args: readonly string[], input = ""): Promise<Said> {
  const [program, ...words] = [...place.around, controlProgram(), ...args];
  return new Promise((resolve) => {
    // What goes on in the background must not hold a pipe to us: it would break when we end.
    const said = args.length > 0 ? join(place.log, "start.log") : undefined;
    const out = said === undefined ? "pipe" : openSync(said, "w", 0o600);
    let text = "";
    const child = spawn(program!, words, {
      cwd: "/",
      env: {
        PATH: process.env.PATH ?? standardPath,
        CUDA_VISIBLE_DEVICES: place.gpu,
        CUDA_DEVICE_ORDER: "PCI_BUS_ID",
        CUDA_MPS_PIPE_DIRECTORY: place.pipeShown,
        CUDA_MPS_LOG_DIRECTORY: place.log,
      },
      stdio: ["pipe", out, out],
    });
    if (typeof out === "number") closeSync(out);
    const impatience = setTimeout(() => child.kill("SIGKILL"), answerMsMax);
    child.stdout?.on("data", (part) => (text += part));
    child.stderr?.on("data", (part) => (text += part));
    child.stdin?.on("error", () => {}); // it has ended; its code says how
    child.stdin?.end(input);
    child.once("error", (error) => resolve({ code: -1, text: error.message }));
    child.once("close", (code) => {
      clearTimeout(impatience);
      resolve({ code: code ?? -1, text: said === undefined ? text : readFileSync(said, "utf8") });
    });
  });
}

function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 300) || "it said nothing";
}
