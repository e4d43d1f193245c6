import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { findProgram } from "../../scripts/kubernetes/lab/packages.js";
import { root } from "../../scripts/launch/root.js";
import { dependenciesOf } from "./dependencies.js";

/** Where everything of ours lies in the image; the agent of engine-kubernetes is started from there. */
export const imageRoot = "/tessera";
export const imageUser = 65_532;

export const imageConfig = {
  Entrypoint: [`${imageRoot}/bin/node`, `${imageRoot}/packages/cli/dist/main.js`],
  Env: [`TESSERA_ROOT=${imageRoot}`, "HOME=/tmp", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
  User: `${imageUser}:${imageUser}`,
  WorkingDir: "/",
};

/** The programs of the image: each brings what it needs. The page of the console is served by the server. */
const programs = ["cli", "server", "what-if"];
/** Of a machine's programs, those that ours call. */
const tools = ["sh", "sync", "cat", "ls", "sleep", "tar"];
const authorities = "/etc/ssl/certs/ca-certificates.crt";

/** What runs, without what is only needed to build and test it. */
const unneeded =
  /\.(map|test\.js|fixture\.js|d\.[mc]?ts|d\.ts\.map|md|markdown|tsbuildinfo)$|(^|\/)(golden|\.github|\.vscode|docs|example|examples|test|tests|__tests__|benchmarks?)$/;

/** A folder with the whole file system of the image. The caller removes it. */
export function tesseraFolder() {
  const folder = mkdtempSync(join(tmpdir(), "tess-rootfs-"));
  chmodSync(folder, 0o755);
  const at = (path) => join(folder, path);
  for (const path of ["bin", "etc/ssl/certs", "tmp", "proc", "sys", "dev", "run", `${imageRoot}/bin`])
    mkdirSync(at(path), { recursive: true });
  chmodSync(at("tmp"), 0o1777);
  putNode(folder);
  copyFileSync(findProgram("busybox"), at("bin/busybox"));
  for (const tool of tools) symlinkSync("busybox", at(join("bin", tool)));
  writeFileSync(at("etc/passwd"), `root:x:0:0::/:/bin/sh\ntessera:x:${imageUser}:${imageUser}::/tmp:/bin/sh\n`);
  writeFileSync(at("etc/group"), `root:x:0:\ntessera:x:${imageUser}:\n`);
  if (existsSync(authorities)) copyFileSync(authorities, at(authorities));
  putPackages(at(imageRoot));
  execFileSync("chmod", ["-R", "a+rX", folder]);
  return folder;
}

/** Node and the shared libraries that it is linked to, each where the loader looks for it. */
function putNode(folder) {
  const node = realpathSync(join(root, "node_modules/.bin/node"));
  const copy = join(folder, imageRoot, "bin/node");
  copyFileSync(node, copy);
  if (findProgram("strip") !== undefined) execFileSync("strip", ["--strip-unneeded", copy]);
  const linked = execFileSync("ldd", [node], { encoding: "utf8" });
  for (const [library] of linked.matchAll(/\/\S+/g)) {
    const to = join(folder, library);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(library, to);
  }
}

/** The built packages and what they depend on, in the same places as here, so that each finds the others. */
function putPackages(into) {
  const found = dependenciesOf(programs.map((name) => join(root, "packages", name)));
  for (const each of found) {
    const own = each.startsWith(join(root, "packages"));
    const to = join(into, relative(root, each));
    const wanted = (path) => {
      const inside = relative(each, path);
      if (inside === "") return true;
      if (own && !/^(dist|bundle|package\.json)(\/|$)/.test(inside)) return false;
      return basename(path) !== "node_modules" && !unneeded.test(inside);
    };
    cpSync(each, to, { recursive: true, filter: wanted });
  }
  cpSync(join(root, "packages/web/bundle"), join(into, "packages/web/bundle"), { recursive: true });
  cpSync(join(root, "package.json"), join(into, "package.json"));
  const names = join(into, "node_modules/@tessera");
  mkdirSync(names, { recursive: true });
  for (const each of found) {
    const [, name] = /packages\/([^/]+)$/.exec(relative(root, each)) ?? [];
    if (name !== undefined) symlinkSync(join("../../packages", name), join(names, name));
  }
}
