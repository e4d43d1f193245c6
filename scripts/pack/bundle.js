import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
// Comes with vite, which bundles the console. Declared a second time, npm would ask the lock file for its builds of all
// platforms, and registries do not have all of them.
import { rolldown } from "rolldown";

/** The oldest Node.js that the package runs on: what people have, not what the clone brings along. */
const nodeMin = "20.20";

/**
 * Makes a package of the CLI that needs nothing else: our wire and core and the packages from npm are bundled into it.
 * Returns its folder.
 */
export async function bundleCli(root, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "dist"), { recursive: true });
  const bundle = await rolldown({
    input: { tess: join(root, "packages/cli/dist/main.js") },
    platform: "node",
    // ws asks for these two and goes on without them.
    external: ["bufferutil", "utf-8-validate"],
    transform: { target: "node20" },
    logLevel: "warn",
  });
  await bundle.write({
    dir: join(folder, "dist"),
    format: "esm",
    banner: (chunk) => (chunk.isEntry ? "#!/usr/bin/env node" : ""),
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  });
  await bundle.close();
  chmodSync(join(folder, "dist", "tess.js"), 0o755);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifestOf(root), null, 2)}\n`);
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(root, "packages/cli/README.md"), join(folder, "README.md"));
  return folder;
}

/** Without dependencies, links or scripts: it is installed as it is. */
function manifestOf(root) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
  const { description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    name,
    version,
    description: `tess: the command line of Tessera. ${description}`,
    license,
    type: "module",
    bin: { tess: "dist/tess.js" },
    files: ["dist"],
    engines: { node: `>=${nodeMin}` },
  };
}
