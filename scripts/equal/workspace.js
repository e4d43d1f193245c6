import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../launch/failure.js";

const outputCharsMax = 4_000;
const children = new Set();

/** A temporary folder that is gone when this process ends, however it ends, and with it the programs it started. */
export function openWorkspace() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tessera-equal-")));
  process.on("exit", () => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => process.exit(128 + constants.signals[signal]));
  }
  return folder;
}

/** Runs a command to its end and returns what it wrote to standard output. Throws a Failure when it fails. */
export function run(command, args, { what, ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    children.add(child);
    let [out, said] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      said = (said + chunk).slice(-outputCharsMax);
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      children.delete(child);
      if (code === 0) return resolve(out);
      reject(
        new Failure(`${what} ended with ${code ?? signal}`, {
          advice: "The lines above are its own.",
          output: said + out.slice(-outputCharsMax),
        }),
      );
    });
  });
}
