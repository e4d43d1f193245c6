import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "../launch/root.js";

const usage = `npm run prove:gpu:pack: makes .cache/prove, with which prove-gpu runs on a machine without Node and without network

Copy the folder to the machine and run there, as root: prove/run.sh --json
Build first (npm run build).`;

const folder = join(root, ".cache", "prove");
/** What may be sent to the machine. */
const bytesMax = 64 * 2 ** 20;

function packageOf(path) {
  return JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
}

/** The packages that run there: all but the ones that only test others or are shown in a browser. */
function ours() {
  const left = new Set(["web", "oracle", "verifier"]);
  return readdirSync(join(root, "packages")).filter((name) => !left.has(name));
}

/** Packages of others that these need, with what they need in turn. */
function dependencies(packages) {
  const found = new Set();
  const visit = ({ dependencies = {}, optionalDependencies = {} }) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = join("node_modules", name);
      if (found.has(path) || !existsSync(join(root, path))) continue;
      found.add(path);
      if (!name.startsWith("@tessera/")) visit(packageOf(path));
    }
  };
  for (const name of packages) visit(packageOf(join("packages", name)));
  return [...found];
}

/** Files of our packages that a program reads when it runs. */
function partsOf(name) {
  const parts = ["package.json", "dist", "probe", "checks", "data"].map((part) => join("packages", name, part));
  return parts.filter((part) => existsSync(join(root, part)));
}

function pack() {
  mkdirSync(folder, { recursive: true });
  const packages = ours();
  const files = [...packages.flatMap(partsOf), ...dependencies(packages), "package.json", "bin"];
  const scripts = ["prove-gpu", "places", "launch"].map((name) => join("scripts", name));
  const tar = join(folder, "tessera.tar.xz");
  rmSync(tar, { force: true });
  const left = ["*.test.js", "*.map", "*.d.ts", "*.golden.jsonl"].flatMap((pattern) => ["--exclude", pattern]);
  execFileSync("tar", [...left, "-cJf", tar, "-C", root, ...files, ...scripts], {
    env: { ...process.env, XZ_OPT: "-T0" },
  });
  const node = join(folder, "node.xz");
  if (!existsSync(node) || statSync(node).mtimeMs < statSync(process.execPath).mtimeMs) {
    copyFileSync(process.execPath, join(folder, "node"));
    execFileSync("xz", ["-T0", "-f", join(folder, "node")]);
  }
  copyFileSync(join(root, "scripts", "prove-gpu", "run.sh"), join(folder, "run.sh"));
  const bytes = [tar, node].reduce((sum, file) => sum + statSync(file).size, 0);
  if (bytes > bytesMax) throw new Error(`${folder} has ${bytes} bytes, at most ${bytesMax} can be sent`);
  console.log(`${folder}: ${(bytes / 2 ** 20).toFixed(1)} MiB`);
}

if (process.argv.includes("--help")) console.log(usage);
else pack();
