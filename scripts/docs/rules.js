import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow } from "../launch/tree.js";

/** A file of the repository, as its path from the root and its text. */
function read(root, path) {
  return { path, text: readFileSync(join(root, path), "utf8") };
}

/** Source files of all packages and the repository's tools, scenarios and documents: everything that may cite a rule. */
export function citingFiles(root) {
  return [...filesBelow(root, "packages"), ...filesBelow(root, "scripts"), ...filesBelow(root, "docs")]
    .filter((path) => /\.(tsx?|js|yaml|md)$/.test(path) && !/\/(dist|bundle)\//.test(path))
    .map((path) => read(root, path));
}

/** The rules of SPEC.md, in its order: each is an item that begins with its id. */
export function rulesOfSpec(text) {
  return [...text.matchAll(/^- \*\*([A-Z]\d+)\b/gm)].map(([, id]) => id);
}

/** The rules that a test names in brackets: `[T2]`, `[P4, C3]`. */
export function rulesInBrackets(text) {
  return [...text.matchAll(/\[([A-Z]\d+(?:, [A-Z]\d+)*)\]/g)].flatMap(([, ids]) => ids.split(", "));
}

/** The rules that a scenario says it shows: `# shows: T1 C2; reason never`. */
export function rulesShown(text) {
  const line = /^# shows: (.*)$/m.exec(text)?.[1] ?? "";
  return line.match(/\b[A-Z]\d+\b/g) ?? [];
}

/** The invariants that a text cites: S1 to S99. */
export function invariantsIn(text) {
  return new Set(text.match(/\bS[1-9]\d?\b/g) ?? []);
}

/** The rows of docs/invariants.md: the id of each rule, and the files it names in each of the columns after the rule. */
export function invariantRows(text) {
  return [...text.matchAll(/^\| \*\*(S\d+)\*\*[^|]*\|(.*)\|$/gm)].map(([, id, row]) => {
    const [, ...columns] = row.split("|");
    return { id, columns: columns.map((column) => [...column.matchAll(/`([^`]+)`/g)].map(([, name]) => name)) };
  });
}

/**
 * The paths that a name such as `core/property.test.ts`, `server/sqlite/store.test.ts` or `core/claim` stands for: a
 * file, or all files of a folder, anywhere below the source of the package. Files may move without a change of the page.
 */
export function pathsNamed(root, name) {
  if (name.startsWith("scripts/")) return filesBelow(root, "scripts").filter((path) => path === name);
  const [folder, ...rest] = name.split("/");
  const end = `/${rest.join("/")}`;
  return filesBelow(root, `packages/${folder}/src`).filter(
    (path) => path.endsWith(end) || path.endsWith(`${end}.ts`) || path.includes(`${end}/`),
  );
}
