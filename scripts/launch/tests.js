import { filesBelow } from "./tree.js";

/**
 * The test files to run, as paths from the root: all of them, or those that the arguments name by folder or by file
 * (`packages/core`, `packages/core/src/journal/canonical.test.ts`).
 */
export function selectTests(files, named) {
  const tests = files.filter((path) => path.endsWith(".test.js"));
  if (named.length === 0) return tests;
  const wanted = named.map(asBuilt);
  return tests.filter((path) => wanted.some((name) => path === name || path.startsWith(`${name}/`)));
}

/** Where the compiled form of what was named lies. */
function asBuilt(name) {
  return name
    .replace(/^\.\//, "")
    .replace(/\/+$/, "")
    .replace(/^(packages\/[^/]+)\/src(?=\/|$)/, "$1/dist")
    .replace(/\.ts$/, ".js");
}

/** Everything that may hold tests: compiled packages, and the plain JavaScript of the repository's own tools. */
export function filesWithTests(root, packages) {
  return ["bin", "scripts", ...packages.map((folder) => `${folder}/dist`)].flatMap((at) => filesBelow(root, at));
}
