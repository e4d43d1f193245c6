import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../launch/failure.js";
import { holds, install } from "../launch/install.js";
import { begin } from "../launch/progress.js";
import { run } from "./workspace.js";

/** The full name of a commit. */
export async function commitOf(root, name) {
  try {
    const args = ["rev-parse", "--verify", "--quiet", `${name}^{commit}`];
    return (await run("git", args, { cwd: root, what: "git rev-parse" })).trim();
  } catch (cause) {
    throw new Failure(`there is no commit ${name} in this clone`, {
      advice: "Name a commit that git log shows; a shallow clone may need git fetch --unshallow.",
      cause,
    });
  }
}

/** What git calls the tree as it lies here. */
export async function presentName(root) {
  return (await run("git", ["describe", "--always", "--dirty"], { cwd: root, what: "git describe" })).trim();
}

/** The files of a commit that `wanted` picks by their paths, in `folder`. */
export async function extract(root, commit, folder, wanted) {
  const listed = await run("git", ["ls-tree", "-r", "-z", "--name-only", commit], { cwd: root, what: "git ls-tree" });
  const paths = listed.split("\0").filter((path) => path !== "" && wanted(path));
  mkdirSync(folder, { recursive: true });
  if (paths.length > 0) await unpack(root, commit, folder, paths);
}

async function unpack(root, commit, folder, paths) {
  const archive = `${folder}.tar`;
  await run("git", ["archive", "--output", archive, commit, "--", ...paths], { cwd: root, what: "git archive" });
  await run("tar", ["-xf", archive, "-C", folder], { what: "tar" });
}

/** A built checkout of `commit` in `folder`; packages are shared with this clone where it has what the commit asks for. */
export async function checkOut(root, commit, folder) {
  mkdirSync(folder, { recursive: true });
  await unpack(root, commit, folder, []);
  const read = (path) => JSON.parse(readFileSync(path, "utf8"));
  const installed = read(join(root, "node_modules", ".package-lock.json"));
  if (holds(installed, read(join(folder, "package-lock.json")))) linkModules(root, folder);
  else await install(folder);
  const tsc = join(folder, "node_modules", "typescript", "bin", "tsc");
  await begin("building the base").over(() =>
    run(process.execPath, [tsc, "-b", "packages/sim"], { cwd: folder, what: "the build of the base" }),
  );
}

/** What is built of the present tree, copied, so that editing and building can go on while this runs. */
export function copyPresent(root, folder) {
  const isCode = (path) => !/\.(map|d\.ts|test\.js)$/.test(path);
  for (const name of readdirSync(join(root, "packages"))) {
    for (const part of ["dist", "package.json"]) {
      const from = join(root, "packages", name, part);
      if (existsSync(from)) cpSync(from, join(folder, "packages", name, part), { recursive: true, filter: isCode });
    }
  }
  linkModules(root, folder);
}

/** The packages of npm are those of this clone; ours are those of the folder. */
function linkModules(root, folder) {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@tessera"), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@tessera") symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  for (const name of readdirSync(join(folder, "packages"))) {
    symlinkSync(join(folder, "packages", name), join(modules, "@tessera", name));
  }
}
