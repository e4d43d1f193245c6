import { posix } from "node:path";
import { isTest } from "./check.js";
import { importsOf } from "./scan.js";

/** The imports inside one package, types included: `sources` maps each path from the root to its text. */
export function importsWithin(name, sources) {
  return [...sources].flatMap(([path, source]) =>
    importsOf(source).flatMap(({ specifier, line }) => {
      const target = targetOf(name, path, specifier);
      return target === undefined ? [] : [{ path, line, target }];
    }),
  );
}

function targetOf(name, path, specifier) {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
  const ownName = specifier === `@tessera/${name}` || specifier.startsWith(`@tessera/${name}/`);
  return ownName ? `packages/${name}/src/index.ts` : undefined;
}

/** The imports that go against the order of `layers`, each as a sentence that begins with the place. */
export function upwardImports(name, layers, imports) {
  const order = layers.flat();
  return imports.flatMap(({ path, line, target }) => {
    const fault = isTest(path) ? undefined : faultOfDirection(order, name, path, target);
    return fault === undefined ? [] : [`${path}:${line} imports ${target}, but ${fault}`];
  });
}

function faultOfDirection(order, name, path, target) {
  if (isTest(target)) return "that is for tests only";
  const [from, to] = [folderOf(name, path), folderOf(name, target)];
  if (from === to || from === undefined) return undefined;
  if (to === undefined) return "no folder may know the files beside it: they join the whole package";
  // A folder that is missing from the list is a fault of its own; see listFaults.
  if (!order.includes(from) || !order.includes(to)) return undefined;
  if (order.indexOf(to) < order.indexOf(from)) return undefined;
  return `the list of layers has ${to} after ${from}`;
}

/** The folder of `src` that a file belongs to, however deep it lies; undefined for a file directly in `src`. */
function folderOf(name, path) {
  const parts = path.slice(`packages/${name}/src/`.length).split("/");
  return parts.length === 1 ? undefined : parts[0];
}

/** Where `layers` and the folders of the package differ. */
export function listFaults(name, layers, paths) {
  const present = new Set();
  for (const path of paths) {
    const folder = folderOf(name, path);
    if (folder !== undefined && folder !== "testing") present.add(folder);
  }
  const listed = layers.flat();
  return [
    ...[...present]
      .filter((folder) => !listed.includes(folder))
      .map((folder) => `packages/${name}/src/${folder} is in no line of the layers in scripts/layers/rules.js`),
    ...listed
      .filter((folder) => !present.has(folder))
      .map((folder) => `scripts/layers/rules.js lists the folder ${folder}, which packages/${name}/src does not have`),
    ...listed
      .filter((folder, at) => listed.indexOf(folder) !== at)
      .map((folder) => `scripts/layers/rules.js lists the folder ${folder} of ${name} more than once`),
  ];
}

/** The groups of files that reach each other by imports (Tarjan's strongly connected components), each in order. */
export function fileCycles(imports) {
  const targets = new Map();
  for (const { path, target } of imports) {
    if (!targets.has(path)) targets.set(path, new Set());
    targets.get(path).add(target);
  }
  const cycles = [];
  const numbers = new Map();
  const lowest = new Map();
  const open = [];
  const visit = (path) => {
    numbers.set(path, numbers.size);
    lowest.set(path, numbers.get(path));
    open.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!numbers.has(target)) visit(target);
      if (open.includes(target)) lowest.set(path, Math.min(lowest.get(path), lowest.get(target)));
    }
    if (lowest.get(path) !== numbers.get(path)) return;
    const group = open.splice(open.indexOf(path));
    if (group.length > 1 || targets.get(path)?.has(path)) cycles.push(group.sort());
  };
  for (const path of targets.keys()) if (!numbers.has(path)) visit(path);
  return cycles;
}

/**
 * The layers of a package as a document shows them, in the fenced block that is marked `layers <package>`: on each line
 * the folders, three spaces or more, and a sentence. Undefined where there is no such block.
 */
export function layersIn(markdown, name) {
  const block = new RegExp(`^\`\`\`layers ${name}\n(.*?)^\`\`\`$`, "ms").exec(markdown)?.[1];
  return block
    ?.trimEnd()
    .split("\n")
    .map((line) => line.split(/ {3,}/)[0].trim().split(/ +/));
}
