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
  const apart = faultOfChecker(path, specifier) ?? faultOfOracle(path, specifier) ?? faultOfVerifier(name, specifier);
  if (apart !== undefined) return apart;
  if (specifier.startsWith(".")) {
    const depth = path.split("/").length - 4; // folders below src
    const ups = specifier.split("/").filter((part) => part === "..").length;
    return ups > depth ? `reaches out of its package: ${specifier}` : undefined;
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
  if (!path.startsWith(oracle.folder) || !specifier.startsWith("@tessera/") || specifier === oracle.mayKnow)
    return undefined;
  return `imports ${specifier}, but the oracle shares no code with the scheduler, only ${oracle.mayKnow}`;
}

/** What checks us from outside stands alone, in its tests too: it shares no code, and so no mistake, with what it checks. */
function faultOfVerifier(name, specifier) {
  if (name !== "verifier" || specifier.startsWith(".") || specifier.startsWith("node:")) return undefined;
  return `imports ${specifier}, but the verifier imports nothing but its own files and node`;
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
export function checkManifest(name, { dependencies = {}, devDependencies = {} }) {
  return Object.keys({ ...dependencies, ...devDependencies }).flatMap((dependency) => {
    const other = /^@tessera\/(.+)$/.exec(dependency)?.[1];
    if (other === undefined) {
      return (name === "core" || name === "verifier") && dependency in dependencies
        ? [`packages/${name}/package.json depends on ${dependency}, but ${name} depends on nothing`]
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
export function undeclared(path, source, { name, dependencies = {}, devDependencies = {} }) {
  const declared = new Set([name, ...Object.keys(dependencies)]);
  if (isTest(path)) for (const tool of Object.keys(devDependencies)) declared.add(tool);
  return packagesIn(source)
    .filter(({ name }) => !declared.has(name))
    .map(({ name, line }) => `${path}:${line} imports ${name}, which its package.json does not name`);
}

/** Dependencies that only tests import, or nothing does: what runs does not need them. */
export function needless(name, sources, { dependencies = {} }) {
  const used = new Set();
  for (const [path, source] of sources) {
    if (!isTest(path)) for (const { name } of packagesIn(source)) used.add(name);
  }
  return Object.keys(dependencies)
    .filter((dependency) => !used.has(dependency))
    .map((dependency) => `packages/${name}/package.json needs ${dependency} at most as one of its devDependencies`);
}

/** The packages that a source imports, with the line of each. */
function packagesIn(source) {
  return importsOf(source)
    .filter(({ specifier }) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
    .map(({ specifier, line }) => ({
      name: specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
      line,
    }));
}

function allowed(name) {
  const known = mayImport[name] ?? (name.startsWith("engine-") ? mayImport["engine-*"] : undefined);
  if (known === undefined) throw new Error(`packages/${name} has no row in scripts/layers/rules.js`);
  return known;
}

/** Tests, and what only tests and measurements use. */
export function isTest(path) {
  return /\.(test|fixture)\.tsx?$|\/src\/(testing|headless)\//.test(path);
}
