import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Imports a program. Compiled code is kept, which saves a good part of each start. Needs Node.js 24. */
export async function enterProgram(path) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  module.enableCompileCache(join(root, ".cache", "compiled"));
  await import(pathToFileURL(path).href);
}

// As a script (from a launcher on an older Node.js): enter.js <program> [arguments].
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.argv.splice(1, 1);
  await enterProgram(process.argv[1]);
}
