import { posix } from "node:path";
import { checker, forbiddenInCore, mayImport, mayNameEngines, oracle } from "./rules.js";
import { importsOf, lineAt, scan } from "./scan.js";

/** What breaks the rules in one source file (`path` from the root), each as a sentence that begins with the place. */
export function checkSource(path, source) {
  const [, name] = /^packages\/([^/]+)\/src\//.exec(path);
  const found = importsOf(source).flatMap(({ specifier, line }) => {
    const fault = faultOfImport(path, name, specifier);
    return fault === undefined ? [] : [`${path}:${line} ${fault}`];
  });
  return name === "core" && !isTest(path) ? [...found, ...forbiddenUses(path, source)] : found;
}

function faultOfImport(path, name, specifier) {
  const apart = faultOfChecker(path, specifier);
  if (apart !== undefined) return apart;
  if (specifier.startsWith(".")) {
    const depth = path.split("/").length - 4; // folders below src
    const ups = specifier.split("/").filter((part) => part === "..").length;
    return ups > depth ? `reaches out of its package: ${specifier}` : faultOfOracle(path, specifier);
  }
  const other = /^@tessera\/([^/]+)/.exec(specifier)?.[1];
  if (other === undefined) {
    if (name !== "core" || isTest(path)) return undefined;
    return `imports ${specifier}, but core imports nothing: it is values in, values out`;
  }
  if (other === name || allowed(name).includes(other)) return undefined;
  if (other.startsWith("engine-") && mayNameEngines.test(path)) return undefined;
  return `imports @tessera/${other}, but ${name} may know only: ${allowed(name).join(", ") || "nothing"}`;
}

function faultOfChecker(path, specifier) {
  if (!path.startsWith(checker.folder) || isTest(path) || specifier.startsWith("node:")) return undefined;
  const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
  if (checker.mayKnow.some((known) => target.startsWith(known))) return undefined;
  return `imports ${specifier}, but the checker of decision logs shares no code with the scheduler`;
}

function faultOfOracle(path, specifier) {
  const { folder, mayKnow } = oracle;
  const target = posix.join(posix.dirname(path), specifier);
  const [from, to] = [path.startsWith(folder), target.startsWith(folder)];
  if (from && !to && !target.startsWith(mayKnow))
    return `imports ${specifier}, but the naive model shares no code with core`;
  if (!from && to && path.startsWith("packages/core/"))
    return `imports ${specifier}, but core must not know the naive model`;
  return undefined;
}

function forbiddenUses(path, source) {
  const { code } = scan(source);
  return forbiddenInCore.flatMap(({ name, sign, why }) =>
    [...code.matchAll(new RegExp(sign, "g"))].map(
      (use) => `${path}:${lineAt(code, use.index)} uses ${use[0].trim()} (${name}), but ${why}`,
    ),
  );
}

/** What breaks the rules in the dependencies of a package.json. */
export function checkManifest(name, manifest) {
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return declared.flatMap((dependency) => {
    const other = /^@tessera\/(.+)$/.exec(dependency)?.[1];
    if (other === undefined) {
      return name === "core"
        ? [`packages/core/package.json depends on ${dependency}, but core depends on nothing`]
        : [];
    }
    // Through main.ts alone, which checkSource watches.
    if (allowed(name).includes(other) || (name === "server" && other.startsWith("engine-"))) return [];
    return [
      `packages/${name}/package.json depends on ${dependency}, but may only on: ${allowed(name).join(", ") || "nothing"}`,
    ];
  });
}

/** Packages that a source imports without having them in its own package.json; npm would not install them for it. */
export function undeclared(path, source, manifest, forTests) {
  const declared = new Set([manifest.name, ...Object.keys(manifest.dependencies ?? {})]);
  const forItsTests = Object.keys(manifest.devDependencies ?? {});
  if (isTest(path)) for (const name of [...forTests, ...forItsTests]) declared.add(name);
  return importsOf(source)
    .filter(({ specifier }) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
    .map(({ specifier, line }) => ({
      name: specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
      line,
    }))
    .filter(({ name }) => !declared.has(name))
    .map(({ name, line }) => `${path}:${line} imports ${name}, which its package.json does not name`);
}

function allowed(name) {
  const known = mayImport[name] ?? (name.startsWith("engine-") ? mayImport["engine-*"] : undefined);
  if (known === undefined) throw new Error(`packages/${name} has no row in scripts/layers/rules.js`);
  return known;
}

/** Tests, and what only tests use. */
export function isTest(path) {
  return /\.(test|fixture)\.tsx?$|\/src\/testing\//.test(path);
}
