import { join } from "node:path";
import { spawnOnTerminal } from "./spawn.js";

/** Format and lint of `paths`, or of everything. Returns Biome's exit code. */
export function runBiome(root, node, paths = ["."]) {
  const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
  const colors = `--colors=${process.stdout.isTTY ? "force" : "off"}`; // Biome colours its output in CI regardless
  return spawnOnTerminal(node, [biome, "ci", "--error-on-warnings", colors, ...paths], { cwd: root });
}
