import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The packages that `tsc -b` builds, as paths from the root: those that the root tsconfig.json refers to. */
export function builtPackages(root) {
  const { references } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const folders = references.map(({ path }) => path.replace(/\/[^/]*\.json$/, ""));
  return [...new Set(folders)];
}

/**
 * Changes when a source or a compiler setting is added, edited, renamed or removed. Looks at names, sizes and times
 * only, so that it costs a few milliseconds on every start.
 */
export function signatureOfSources(root) {
  const hash = createHash("sha256");
  const add = (path) => {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path}\0${mtimeMs}\0${size}\n`);
  };
  for (const name of ["tsconfig.json", "tsconfig.base.json"]) add(name);
  for (const folder of builtPackages(root)) {
    for (const name of readdirSync(join(root, folder)).sort()) {
      if (name === "package.json" || /^tsconfig.*\.json$/.test(name)) add(`${folder}/${name}`);
    }
    for (const path of filesBelow(root, `${folder}/src`)) add(path);
  }
  return hash.digest("hex");
}

/** All files below `folder`, as paths from `root`, in a fixed order. None where there is no such folder. */
export function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  const files = [];
  const visit = (at) => {
    const entries = readdirSync(join(root, at), { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (entry.name === "node_modules") continue;
      const path = `${at}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else files.push(path);
    }
  };
  visit(folder);
  return files;
}
