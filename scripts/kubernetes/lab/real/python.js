import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { busyboxFolder } from "./image.js";

const interpreter = "/usr/bin/python3";

/** A folder with a shell and this machine's Python: its interpreter, library and shared libraries. The caller removes it. */
export function pythonFolder() {
  const folder = busyboxFolder();
  const said = "import sys, sysconfig; print(sys.version_info.minor, sysconfig.get_path('stdlib'))";
  const [minor, library] = execFileSync(interpreter, ["-c", said], { encoding: "utf8" }).trim().split(" ");
  const unneeded = /\/(test|tests|idlelib|tkinter|ensurepip|lib2to3|__pycache__|config-3[^/]*)$/;
  cpSync(library, join(folder, library), { recursive: true, filter: (path) => !unneeded.test(path) });
  mkdirSync(join(folder, "usr/bin"), { recursive: true });
  copyFileSync(interpreter, join(folder, `usr/bin/python3.${minor}`));
  copyFileSync(interpreter, join(folder, "usr/bin/python3"));
  const linked = execFileSync("ldd", [interpreter], { encoding: "utf8" });
  for (const [file] of linked.matchAll(/\/\S+/g)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(file, join(folder, file));
  }
  return folder;
}
