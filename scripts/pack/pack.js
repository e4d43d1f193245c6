import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../launch/failure.js";
import { npmCommand, npmEnvironment } from "../launch/install.js";
import { spawnQuietly } from "../launch/spawn.js";
import { bundleCli } from "./bundle.js";

/** Bundles the CLI and packs it. Returns the path of the file that `npm install` takes. */
export async function packCli(root, folder) {
  mkdirSync(folder, { recursive: true });
  const from = await bundleCli(root, join(folder, "cli"));
  const said = await npm(["pack", "--json", "--pack-destination", folder], from);
  const [{ filename }] = JSON.parse(said.slice(said.indexOf("[")));
  return join(folder, filename.replace("@", "").replace("/", "-"));
}

/** Installs the packed file in an empty folder; nothing is fetched. Returns the path of `tess` there. */
export async function installPacked(file, folder) {
  mkdirSync(folder, { recursive: true });
  await npm(["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, file], folder);
  return join(folder, "node_modules", ".bin", "tess");
}

async function npm(args, cwd) {
  const [command, ...first] = npmCommand(process.env);
  const all = [...first, ...args, "--loglevel=error"];
  const { code, output } = await spawnQuietly(command, all, { cwd, env: npmEnvironment(process.env) });
  if (code === 0) return output;
  throw new Failure(`npm ${args[0]} failed`, { advice: "The lines above are npm's.", output });
}
