import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildConsole, needsConsole } from "./console.js";
import { Failure } from "./failure.js";
import { begin } from "./progress.js";
import { spawnQuietly } from "./spawn.js";
import { builtPackages, filesBelow, signatureOfSources } from "./tree.js";

const stampOf = (root) => join(root, ".cache", "built");

/** Whether a source changed since the last build, or what was built is gone. */
export function needsBuild(root) {
  if (!existsSync(stampOf(root))) return true;
  if (builtPackages(root).some((folder) => !existsSync(join(root, folder, "dist")))) return true;
  return readFileSync(stampOf(root), "utf8") !== signatureOfSources(root) || needsConsole(root);
}

/** Compiles what changed. Throws a Failure with the compiler's words. */
export async function build(root, node) {
  // Taken before: a file that is edited while the compiler runs is compiled again next time.
  const signature = signatureOfSources(root);
  const progress = begin("building");
  forgetLostOutput(root);
  removeOrphans(root);
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  await progress.over(async () => {
    const { code, output } = await spawnQuietly(node, [tsc, "-b"], { cwd: root });
    if (code === 0) return;
    throw new Failure("the build failed", {
      advice: "This is a bug in the checkout, or an edit that does not compile: git status shows what differs.",
      output,
    });
  });
  if (needsConsole(root)) await buildConsole(root, node);
  mkdirSync(dirname(stampOf(root)), { recursive: true });
  writeFileSync(stampOf(root), signature);
}

/** The compiler believes its own records; without the output they describe it must start afresh. */
function forgetLostOutput(root) {
  for (const folder of builtPackages(root)) {
    if (existsSync(join(root, folder, "dist"))) continue;
    for (const name of readdirSync(join(root, folder))) {
      if (name.endsWith(".tsbuildinfo")) rmSync(join(root, folder, name));
    }
  }
}

const emitted = /\.(js|js\.map|d\.ts|d\.ts\.map)$/;

/** Removes what was compiled from sources that are gone, so that a deleted test or module cannot run. */
export function removeOrphans(root) {
  const removed = [];
  for (const folder of builtPackages(root)) {
    for (const path of filesBelow(root, `${folder}/dist`)) {
      if (!emitted.test(path)) continue;
      const source = path.replace(`${folder}/dist/`, `${folder}/src/`).replace(emitted, ".ts");
      if (existsSync(join(root, source)) || existsSync(join(root, `${source}x`))) continue;
      rmSync(join(root, path));
      removed.push(path);
    }
  }
  return removed;
}
