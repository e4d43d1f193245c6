import { spawn } from "node:child_process";
import { dirname } from "node:path";
import type { CheckResult } from "@tessera/engine";
import { type CheckFile, commandOf, limitsFor } from "./check-files.ts";

export interface CheckOn {
  readonly model: string;
  /** The devices that it may see, as CUDA names them. */
  readonly devices: readonly string[];
  readonly signal: AbortSignal;
}

type Outcome = Pick<CheckResult, "result" | "text" | "measured" | "expected">;

const outputBytesMax = 64 * 1024;
const textCharsMax = 500;
const codes: Readonly<Record<number, CheckResult["result"]>> = { 0: "passed", 1: "failed", 77: "skipped" };

/**
 * Runs one check and reads its line of JSON. Only a check that says so has failed: one that cannot run, takes too long or says
 * nothing is skipped with the reason, since a broken script must not take a fleet out of use.
 */
export async function runCheck(
  check: CheckFile,
  { model, devices, signal }: CheckOn,
): Promise<Outcome & { ms: number }> {
  const began = performance.now();
  const outcome = await start(check, model, devices, signal);
  return { ...outcome, ms: Math.round(performance.now() - began) };
}

function start(check: CheckFile, model: string, devices: readonly string[], signal: AbortSignal): Promise<Outcome> {
  if (signal.aborted) return Promise.resolve(ended);
  const [program, ...args] = commandOf(check);
  const { PATH = "/usr/bin:/bin", HOME = "/", LD_LIBRARY_PATH } = process.env;
  const env = {
    ...{ PATH, HOME, CUDA_VISIBLE_DEVICES: devices.join(","), TESSERA_GPU_MODEL: model },
    ...(LD_LIBRARY_PATH !== undefined && { LD_LIBRARY_PATH }),
    TESSERA_CHECK_LIMITS: JSON.stringify(limitsFor(check, model)),
    PYTHONDONTWRITEBYTECODE: "1",
  };
  return new Promise((resolve) => {
    // A group of its own: a check may have started others.
    const child = spawn(program, args, {
      cwd: dirname(check.file),
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = [new Tail(), new Tail()];
    child.stdout.on("data", (part: Buffer) => out.add(part));
    child.stderr.on("data", (part: Buffer) => err.add(part));
    let late = false;
    const kill = () => killGroup(child.pid);
    const timer = setTimeout(() => {
      late = true;
      kill();
    }, check.timeoutMs);
    signal.addEventListener("abort", kill, { once: true });
    const finish = (outcome: Outcome) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", kill);
      resolve(signal.aborted ? ended : outcome);
    };
    child.once("error", (error) => finish(skipped(`it cannot be started: ${error.message}`)));
    child.once("close", (code) => {
      if (late) finish(skipped(`it took longer than ${check.timeoutMs / 1000} s`));
      else finish(readOutcome(out.text, code ?? -1, err.text));
    });
  });
}

const ended: Outcome = { result: "ended", text: "real work came first" };

function skipped(text: string): Outcome {
  return { result: "skipped", text: text.slice(0, textCharsMax) };
}

/** The last line that is JSON, where it agrees with the exit code. */
export function readOutcome(out: string, code: number, err: string): Outcome {
  const by = codes[code];
  for (const line of out.trim().split("\n").reverse()) {
    const said = parsed(line);
    if (said === undefined) continue;
    const { result, text, measured, expected } = said;
    if (by === undefined || result !== by) return skipped(`it said ${String(result)} and ended with code ${code}`);
    return {
      result: by,
      text: String(text ?? "").slice(0, textCharsMax),
      ...(typeof measured === "string" && { measured: measured.slice(0, textCharsMax) }),
      ...(typeof expected === "string" && { expected: expected.slice(0, textCharsMax) }),
    };
  }
  const complaint = err.trim().split("\n").at(-1) || "it said nothing";
  return skipped(`it ended with code ${code} and without an answer: ${complaint}`);
}

function parsed(line: string): { readonly [field: string]: unknown } | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as { readonly [field: string]: unknown };
  } catch {
    return undefined;
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {} // it has ended by itself
}

/** The end of what a program says; the beginning matters least. */
class Tail {
  text = "";
  add(part: Buffer): void {
    this.text = (this.text + part.toString("utf8")).slice(-outputBytesMax);
  }
}
