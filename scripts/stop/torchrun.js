import { spawnSync } from "node:child_process";

/** The path of a torchrun that starts, or undefined. */
export function findTorchrun() {
  const found = spawnSync("sh", ["-c", "command -v torchrun"], { encoding: "utf8" }).stdout.trim();
  if (found === "") return undefined;
  return spawnSync(found, ["--help"], { stdio: "ignore" }).status === 0 ? found : undefined;
}
