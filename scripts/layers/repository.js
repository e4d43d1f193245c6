import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "../launch/tree.js";
import { checkManifest, checkSource, undeclared } from "./check.js";
import { fileCycles, importsWithin, layersIn, listFaults, upwardImports } from "./folders.js";
import { layered } from "./rules.js";
import { strayFiles } from "./tracked.js";

/** The packages of the repository, in order. */
export function packageNames(root) {
  return readdirSync(join(root, "packages")).sort();
}

/** What in a package breaks the rules between packages. */
export function packageFaults(root, name) {
  const manifest = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), "utf8"));
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const forTests = Object.keys(devDependencies);
  return [
    ...checkManifest(name, manifest),
    ...[...sourcesOf(root, name)].flatMap(([path, source]) => [
      ...checkSource(path, source),
      ...undeclared(path, source, manifest, forTests),
    ]),
  ];
}

/** What in a package breaks the order of its own folders. */
export function folderFaults(root, name, layers) {
  const sources = sourcesOf(root, name);
  const imports = importsWithin(name, sources);
  return {
    list: listFaults(name, layers, sources.keys()),
    upward: upwardImports(name, layers, imports),
    cycles: fileCycles(imports),
  };
}

function sourcesOf(root, name) {
  const paths = filesBelow(root, `packages/${name}/src`).filter((path) => /\.tsx?$/.test(path));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

/** The layers of a package as ARCHITECTURE.md shows them. */
export function shownLayers(root, name) {
  return layersIn(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"), name);
}

/** The tracked files that do not belong; undefined where git cannot tell, as in an unpacked archive. */
export function strayFilesOf(root) {
  if (!existsSync(join(root, ".git"))) return undefined; // the clone may lie inside another one's folder
  const { status, stdout } = spawnSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
  return status === 0 ? strayFiles(stdout.split("\0").filter((path) => path !== "")) : undefined;
}

/** Prints the layers and every fault of structure; returns how many faults there are. */
export function reportStructure(root, print) {
  let faults = 0;
  const printAll = (found) => {
    faults += found.length;
    for (const fault of found) print(`  ${fault}`);
  };
  for (const [name, layers] of Object.entries(layered)) {
    print(`layers of packages/${name}/src, each imports only what stands before it:`);
    for (const line of layers) print(`  ${line.join("  ")}`);
    const { list, upward, cycles } = folderFaults(root, name, layers);
    printAll(list);
    print(`${name}: ${upward.length} upward imports`);
    printAll(upward);
    print(`${name}: ${cycles.length} file cycles`);
    printAll(cycles.map((files) => `${files.length} files reach each other: ${files.join(", ")}`));
  }
  const between = packageNames(root).flatMap((name) => packageFaults(root, name));
  print(`packages: ${between.length} imports or dependencies against the rules`);
  printAll(between);
  const stray = strayFilesOf(root);
  print(`tracked files that do not belong: ${stray?.length ?? "unknown, git does not list them"}`);
  printAll(stray ?? []);
  return faults;
}
