import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { explainNpm, Failure } from "./failure.js";
import { begin } from "./progress.js";
import { CommandMissing, spawnQuietly } from "./spawn.js";

const stampOf = (root) => join(root, "node_modules", ".tessera-installed");

/** Whether node_modules is not what package-lock.json asks for on this machine. */
export function needsInstall(root, machine = process) {
  const stamp = readText(stampOf(root));
  if (stamp !== undefined && stamp === expectedStamp(root, machine)) return false;
  // npm's own record of what it put there: somebody may have run npm install by hand.
  const installed = readText(join(root, "node_modules", ".package-lock.json"));
  if (installed === undefined) return true;
  const asked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  if (!holds(JSON.parse(installed), asked, machine)) return true;
  tryToStamp(root, machine);
  return false;
}

/** Whether the packages of the lock `asked` that this machine can use are all in npm's record `installed`. */
export function holds(installed, asked, machine = process) {
  for (const [path, entry] of Object.entries(asked.packages)) {
    if (path === "") continue;
    const present = installed.packages[path];
    if (present === undefined) {
      if (entry.optional === true && !fits(entry, machine)) continue;
      return false;
    }
    if (present.version !== entry.version || present.integrity !== entry.integrity) return false;
  }
  return true;
}

/** Whether npm would install this package here. A package for one C library is left to npm to judge. */
function fits(entry, machine) {
  if (entry.libc !== undefined) return false;
  return names(entry.os, machine.platform) && names(entry.cpu, machine.arch);
}

function names(list, value) {
  return list === undefined || [list].flat().includes(value);
}

/** Runs `npm ci`. Throws a Failure that says what to do. */
export async function install(root, machine = process) {
  const asked = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const paths = Object.entries(asked.packages)
    .filter(([path, entry]) => path.startsWith("node_modules/") && !entry.link && fits(entry, machine))
    .map(([path]) => join(root, path, "package.json"));
  const arrived = () => `${paths.filter((path) => existsSync(path)).length} of ${paths.length}`;
  const progress = begin("installing packages (npm ci)", { detail: arrived });
  await progress.over(async () => {
    const { code, output } = await runNpm(root);
    if (code !== 0) throw explainNpm(output);
  });
  tryToStamp(root, machine);
}

/**
 * Development packages are named because NODE_ENV=production would leave out the compiler. Install scripts are never
 * run: npm 12 blocks them by default and nothing here may depend on the version of npm.
 */
const npmArguments = [
  "ci",
  "--include=dev",
  "--include=optional",
  "--no-audit",
  "--no-fund",
  "--ignore-scripts",
  "--loglevel=error",
];

async function runNpm(root) {
  const [command, ...first] = npmCommand(process.env);
  try {
    return await spawnQuietly(command, [...first, ...npmArguments], { cwd: root, env: npmEnvironment(process.env) });
  } catch (error) {
    if (!(error instanceof CommandMissing)) throw error;
    throw new Failure(`npm could not be started (${error.cause.code})`, {
      advice: "npm comes with Node.js: see that npm --version works in this shell, then start again.",
      cause: error,
    });
  }
}

/** The npm we were started by, where there is one, else the one on the PATH. */
export function npmCommand(env) {
  const started = env.npm_execpath;
  if (started !== undefined && /[\\/]np[mx]-cli\.js$/.test(started)) {
    const cli = join(dirname(started), "npm-cli.js");
    if (existsSync(cli)) return [process.execPath, cli];
  }
  return ["npm"];
}

/** Without the options of the npm or npx command around us that would make `npm ci` mean something else. */
export function npmEnvironment(env) {
  const kept = {};
  for (const [name, value] of Object.entries(env)) {
    if (
      /^npm_config_(workspaces?|include_workspace_root|global|location|omit|only|production|package|call|dry_run)$/i.test(
        name,
      )
    )
      continue;
    kept[name] = value;
  }
  return kept;
}

function expectedStamp(root, machine) {
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  return `${lock} ${machine.platform}-${machine.arch}\n`;
}

/** Only saves work next time, so a clone that may not be written to is no failure. */
function tryToStamp(root, machine) {
  try {
    writeFileSync(stampOf(root), expectedStamp(root, machine));
  } catch {}
}

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
