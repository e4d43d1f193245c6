import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { startOf } from "./lock.js";

const serverProgram = "packages/server/dist/main.js";
const cliProgram = "packages/cli/dist/main.js";

/** The arguments that go to the server when `program` starts one; undefined when it does not. */
export function serverArguments(program, args) {
  const own =
    program === serverProgram ? args : program === cliProgram && args[0] === "server" ? args.slice(1) : undefined;
  return own?.some((arg) => arg === "--help" || arg === "-h") ? undefined : own;
}

/**
 * Says in the data folder that a server is being started, before anything is installed: a `tess` in another terminal
 * waits for it instead of giving up. The server goes on from there, see packages/server/src/starting.ts.
 */
export function announceStart(root, args, env) {
  const folder = dataFolder(root, args, env);
  const write = (more) => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const draft = join(folder, `starting.json.${process.pid}`);
      writeFileSync(draft, `${JSON.stringify({ ...self(), ...more })}\n`, { mode: 0o600 });
      renameSync(draft, join(folder, "starting.json"));
    } catch {} // a folder that cannot be written is the server's to explain
  };
  return {
    step: (step) => write({ step }),
    /** Says why there will be no server, unless the server itself has said more. */
    failed(reason) {
      const last = readStarting(folder);
      if (last?.pid === process.pid && last.failed === undefined) write({ failed: reason });
    },
  };
}

function self() {
  return { pid: process.pid, startedAt: startOf(process.pid), host: hostname() };
}

function dataFolder(root, args, env) {
  const at = args.indexOf("--data");
  const given = at < 0 ? args.find((arg) => arg.startsWith("--data="))?.slice("--data=".length) : args[at + 1];
  return resolve(given ?? env.TESSERA_DATA ?? join(root, ".tessera"));
}

function readStarting(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, "starting.json"), "utf8"));
  } catch {
    return undefined;
  }
}
