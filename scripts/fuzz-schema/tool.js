import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../launch/root.js";

/** Results depend on the version: a newer one may know more checks. */
const version = "4.32.5";
const folder = join(root, ".cache/schemathesis");

/** The program `st`, installed once into the ignored cache folder; or why it cannot be had. */
export function schemathesis() {
  const program = join(folder, "bin/st");
  if (existsSync(program) && ran(program, ["--version"]).includes(version)) return { program };
  mkdirSync(join(root, ".cache"), { recursive: true });
  for (const [command, args, why] of [
    ["python3", ["-m", "venv", folder], "Python 3 with its venv module is not there"],
    [join(folder, "bin/pip"), ["install", "--quiet", `schemathesis==${version}`], "pip cannot install schemathesis"],
  ]) {
    console.error(`${command} ${args.join(" ")}`);
    const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
    if (status !== 0) return { missing: `${why}: ${(stderr || error?.message || "").trim().split("\n").at(-1)}` };
  }
  return { program };
}

function ran(command, args) {
  return spawnSync(command, args, { encoding: "utf8" }).stdout ?? "";
}
