import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const readJson = (...path) => JSON.parse(readFileSync(join(...path), "utf8"));

/** What the lock file says of each package from elsewhere: name, version, licence, and whether it is only for development. */
export function lockedPackages(root) {
  return Object.entries(readJson(root, "package-lock.json").packages)
    .filter(([path, { link }]) => path.includes("node_modules/") && !link)
    .map(([path, { version, license, dev = false, hasInstallScript = false, integrity }]) => ({
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      ...{ version, license, dev, hasInstallScript, integrity },
    }));
}

/** The packages from elsewhere that ours name as needed at run time, each with ours that name it. */
export function chosenPackages(root) {
  const chosen = new Map();
  for (const folder of readdirSync(join(root, "packages"))) {
    const { dependencies = {}, optionalDependencies = {} } = readJson(root, "packages", folder, "package.json");
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies }).filter(
      (each) => !each.startsWith("@tessera/"),
    ))
      chosen.set(name, [...(chosen.get(name) ?? []), folder]);
  }
  return new Map([...chosen].sort(([one], [other]) => (one < other ? -1 : 1)));
}
