import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SentKeys } from "@tessera/content";
import { leaseFile } from "../lease/folder.ts";
import { driverVariables } from "../part/smi.ts";
import { standardPath } from "./job.ts";

const program = fileURLToPath(new URL("./main.js", import.meta.url));

/** Drivers that came with an image keep their programs here. */
const driverPath = `${standardPath}:/usr/local/nvidia/bin`;

/** Tests put a fake in place of the driver. */
function fakes(): { readonly [name: string]: string } {
  const set = Object.values(driverVariables).flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(set);
}

/** Hundreds of supervisors share a machine with the jobs: a small heap, little compiled code, and no threads that only wait. */
export const thrift = [
  "--max-old-space-size=64",
  "--lite-mode",
  "--max-semi-space-size=1",
  "--v8-pool-size=0",
  "--no-warnings",
];

/** What a supervisor is given through a pipe and keeps in memory alone: values of secrets, keys of its tenant. */
export interface Given {
  readonly secrets: { readonly [name: string]: string };
  readonly keys?: SentKeys;
}

/**
 * Starts the supervisor of a lease in a session of its own, tied to us by nothing but the pipe that brings the
 * secrets. `group` takes it out of the unit of a service manager that would end it with us. `onEnd` is told what it complained about; it is not called when we end first.
 */
export async function startSupervisor(
  leaseFolder: string,
  given: Given,
  group: string | undefined,
  onEnd: (complaint: string) => void,
): Promise<void> {
  const complaints = join(leaseFolder, leaseFile.complaints);
  const errors = openSync(complaints, "w", 0o600);
  const child = spawn(process.execPath, [...thrift, program, leaseFolder], {
    cwd: "/",
    detached: true,
    // Nothing of our own environment: it may hold the keys of the control plane.
    env: { PATH: driverPath, UV_THREADPOOL_SIZE: "1", ...fakes() },
    stdio: ["pipe", "ignore", errors],
  });
  closeSync(errors);
  child.stdin!.on("error", () => {}); // it ended before it read them; its end is told below
  await new Promise<void>((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  if (group !== undefined) await writeFile(join(group, "cgroup.procs"), String(child.pid)).catch(() => {});
  child.once("exit", async () => onEnd((await readFile(complaints, "utf8").catch(() => "")).trim()));
  child.stdin!.end(`${JSON.stringify(given)}\n`);
  child.unref();
}
