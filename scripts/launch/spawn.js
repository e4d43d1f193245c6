import { spawn } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { Failure } from "./failure.js";

const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
/** A terminal sends these to the child without us, and a second one would tell it to hurry. */
const fromKeyboard = new Set(["SIGINT", "SIGQUIT"]);
const outputCharsMax = 200_000;

/** Runs a command on our terminal to its end. Returns its exit code, 128+N after signal N. */
export async function spawnOnTerminal(command, args, options = {}) {
  const { code } = await spawnAndForward(command, args, { ...options, stdio: "inherit" });
  return code;
}

/**
 * Runs a command to its end and returns its exit code and what it printed. When we are told to stop meanwhile, the
 * command is stopped, and the Failure that is thrown carries the exit code to end with.
 */
export async function spawnQuietly(command, args, options = {}) {
  let output = "";
  const keep = (chunk) => {
    output = (output + chunk).slice(-outputCharsMax);
  };
  const { code, stoppedBy } = await spawnAndForward(
    command,
    args,
    { ...options, stdio: ["ignore", "pipe", "pipe"] },
    (child) => {
      child.stdout.on("data", keep);
      child.stderr.on("data", keep);
    },
  );
  if (stoppedBy !== undefined) {
    throw new Failure(`stopped by ${stoppedBy}`, {
      advice: "The next start goes on from here.",
      exitCode: 128 + constants.signals[stoppedBy],
    });
  }
  return { code, output };
}

function spawnAndForward(command, args, options, prepare = () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options);
    let stoppedBy;
    const onSignal = (signal) => {
      stoppedBy ??= signal;
      if (!(fromKeyboard.has(signal) && isatty(0))) child.kill(signal);
    };
    for (const signal of signals) process.on(signal, onSignal);
    const finish = () => {
      for (const signal of signals) process.removeListener(signal, onSignal);
    };
    child.on("error", (cause) => {
      finish();
      reject(new CommandMissing(command, cause));
    });
    child.on("close", (code, signal) => {
      finish();
      resolve({ code: code ?? 128 + constants.signals[signal], stoppedBy });
    });
    prepare(child);
  });
}

/** The command could not be started at all. */
export class CommandMissing extends Failure {
  constructor(command, cause) {
    super(`${command} could not be started (${cause.code})`, {
      advice: "Remove node_modules and start again: it is installed anew.",
      cause,
    });
  }
}
