import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folders of these packages and of everything that they need to run, each once. */
export function dependenciesOf(packages) {
  const found = new Set();
  const visit = (folder) => {
    if (found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      // Types are needed only to compile.
      const next = name.startsWith("@types/") ? undefined : findPackage(name, folder);
      if (next !== undefined) visit(next);
      else if (name in dependencies && !(name in optionalDependencies) && !name.startsWith("@types/"))
        throw new Error(`${name}, which ${folder} needs, is not installed`);
    }
  };
  for (const folder of packages) visit(folder);
  return [...found];
}

/** Where a package is found from a folder: in the nearest node_modules above it. */
function findPackage(name, folder) {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return realpathSync(path);
    if (at === dirname(at)) return undefined;
  }
}
