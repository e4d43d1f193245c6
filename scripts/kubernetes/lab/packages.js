import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../launch/failure.js";

const folders = [...(process.env.PATH ?? "").split(":"), "/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Programs that the lab uses, and the Debian package of each. */
const forControlPlane = { openssl: "openssl", setpriv: "util-linux", tar: "tar" };
const forRealNodes = {
  runc: "runc",
  iptables: "iptables",
  ipset: "ipset",
  busybox: "busybox-static",
  ip: "iproute2",
  nsenter: "util-linux",
  unshare: "util-linux",
  bash: "bash",
};

/** Where a program lies; undefined when it is not installed. */
export function findProgram(name) {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Fails with the command that installs what is missing. */
export function checkPackages({ realNodes = false, go = false } = {}) {
  const programs = { ...forControlPlane, ...(realNodes && forRealNodes) };
  const missing = Object.keys(programs).filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((name) => programs[name]))];
    throw new Failure(`the lab needs ${missing.join(", ")}`, {
      advice: `Install the Debian packages: apt-get install -y --no-install-recommends ${packages.join(" ")}`,
    });
  }
  if (go && findProgram("go") === undefined) {
    throw new Failure("the programs of the lab are not built yet, and there is no Go to build them with", {
      advice: "Install Go 1.26 or newer, or point KUBE_CACHE at a folder in which they have been built.",
    });
  }
  if (realNodes && process.getuid() !== 0) {
    throw new Failure("real nodes need root: they are made of namespaces and cgroups", { advice: "Run it as root." });
  }
}
