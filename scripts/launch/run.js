import { fileURLToPath } from "node:url";
import { spawnOnTerminal } from "./spawn.js";

const enter = new URL("enter.js", import.meta.url);

/** Runs a built program in this process: it is new enough, and a second one would only cost time. */
export async function enterHere(path) {
  process.argv.splice(1, 1, path);
  const { enterProgram } = await import(enter.href);
  await enterProgram(path);
}

/** Runs a built program on another Node.js. */
export async function enterOn(node, path) {
  process.exitCode = await spawnOnTerminal(node, [fileURLToPath(enter), path, ...process.argv.slice(2)]);
}
