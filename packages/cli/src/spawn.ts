import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { exit } from "./exit.ts";
import { Failure } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
// A terminal sends these to the whole group; a second one would tell the program to hurry.
const fromKeyboard: readonly string[] = ["SIGINT", "SIGQUIT"];

/** Runs a program of another package on this terminal; answers its exit code, 128+N after signal N. */
export function runProgram(
  program: string,
  args: readonly string[],
  { env, cwd, stdin }: Pick<Terminal, "env" | "cwd" | "stdin">,
): Promise<number> {
  if (!existsSync(program)) {
    throw new Failure(exit.serverDown, {
      code: "not-built",
      message: `${program} is not there: the control plane is not part of this installation`,
      hint: "in a clone of Tessera, npm start builds and starts everything",
    });
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: "inherit", env: { ...env }, cwd });
    const forward = (signal: NodeJS.Signals) => {
      if (!(fromKeyboard.includes(signal) && stdin.isTTY)) child.kill(signal);
    };
    for (const signal of forwarded) process.on(signal, forward);
    const done = () => {
      for (const signal of forwarded) process.off(signal, forward);
    };
    child.on("error", (error) => {
      done();
      reject(error);
    });
    child.on("exit", (code, signal) => {
      done();
      resolve(code ?? 128 + constants.signals[signal ?? "SIGTERM"]);
    });
  });
}
