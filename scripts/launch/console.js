import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "./failure.js";
import { begin } from "./progress.js";
import { spawnQuietly } from "./spawn.js";
import { filesBelow } from "./tree.js";

const folder = "packages/web";
const stampOf = (root) => join(root, ".cache", "console");

/** Whether something that goes into the console's files changed since they were made, or they are gone. */
export function needsConsole(root) {
  if (!existsSync(join(root, folder, "vite.config.js"))) return false;
  if (!existsSync(join(root, folder, "bundle", "index.html")) || !existsSync(stampOf(root))) return true;
  return readFileSync(stampOf(root), "utf8") !== signatureOfConsole(root);
}

/** Packages of ours of which parts are bundled: wire, and core behind it. */
const bundled = ["packages/wire/src", "packages/core/src"];

/** Its own sources and those of the packages that are bundled with them: a change of the server costs nothing. */
export function signatureOfConsole(root) {
  const hash = createHash("sha256");
  const fixed = ["package.json", "vite.config.js"].map((name) => `${folder}/${name}`);
  const sources = [`${folder}/src`, ...bundled].flatMap((each) => filesBelow(root, each));
  const paths = [...fixed, ...sources.filter((path) => !isForTests(path)), ...filesBelow(root, `${folder}/public`)];
  for (const path of paths) {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest("hex");
}

function isForTests(path) {
  return path.endsWith(".test.ts") || path.startsWith(`${folder}/src/headless/`);
}

/** Bundles the console, after the compiler has run. Throws a Failure with the bundler's words. */
export async function buildConsole(root, node) {
  const signature = signatureOfConsole(root);
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const config = join(root, folder, "vite.config.js");
  await begin("building the console").over(async () => {
    const { code, output } = await spawnQuietly(node, [vite, "build", "--config", config, "--logLevel", "warn"], {
      cwd: root,
    });
    if (code === 0) return;
    throw new Failure("the console could not be built", {
      advice: "This is a bug in the checkout, or an edit that does not bundle: git status shows what differs.",
      output,
    });
  });
  mkdirSync(dirname(stampOf(root)), { recursive: true });
  writeFileSync(stampOf(root), signature);
}
