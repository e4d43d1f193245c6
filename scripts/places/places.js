import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Some user that is nobody here. */
const userId = "61234";
const folders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * Where a server can run: as root or not, with each means of closing jobs in. `hides` are programs that this server must
 * not find, as on a machine without them.
 */
const all = [
  { name: "root/bwrap", root: true, means: "bwrap", hides: [] },
  { name: "root/unshare", root: true, means: "unshare", hides: ["bwrap"] },
  { name: "root/none", root: true, means: "none", hides: ["bwrap", "unshare"] },
  { name: "user/bwrap", root: false, means: "bwrap", hides: [] },
  { name: "user/none", root: false, means: "none", hides: ["bwrap"] },
];

/** The places that can be had on this machine, and why the others cannot. The Debian packages `install` are installed. */
export function findPlaces(say, { install = [] } = {}) {
  const isRoot = process.getuid() === 0;
  const leftOut = { "user/unshare": "the engine closes jobs in with unshare only as root" };
  if (isRoot) installMissing(install, say);
  const hasBwrap = pathsOf("bwrap").length > 0;
  const mayHide = isRoot && spawnSync("unshare", ["--mount", "true"]).status === 0;
  const places = all.filter((place) => {
    const why = whyNot(place, { isRoot, hasBwrap, mayHide });
    if (why !== undefined) leftOut[place.name] = why;
    return why === undefined;
  });
  return { places: places.map((place) => ({ ...place, command: (words) => commandFor(place, words) })), leftOut };
}

function whyNot({ root, means, hides }, { isRoot, hasBwrap, mayHide }) {
  if (root && !isRoot) return "needs root";
  if (means === "bwrap" && !hasBwrap) return "bwrap is not installed (Debian package bubblewrap)";
  if (hides.some((program) => pathsOf(program).length > 0) && !mayHide)
    return `needs a machine without ${hides.join(" and ")}`;
  return undefined;
}

function installMissing(packages, say) {
  const isThere = (name) => spawnSync("dpkg", ["-s", name], { stdio: "ignore" }).status === 0;
  for (const name of packages.filter((each) => !isThere(each))) {
    say(`installing the Debian package ${name}`);
    const done = spawnSync("apt-get", ["install", "-y", "--no-install-recommends", name], { stdio: "ignore" });
    if (done.status !== 0) say(`${name} cannot be installed: what needs it is left out`);
  }
}

/** The command that runs `words` there. */
function commandFor({ root, hides }, words) {
  const hidden = hides.flatMap(pathsOf);
  const asUser = ["setpriv", "--reuid", userId, "--regid", userId, "--clear-groups", "--"];
  const unprivileged = root || process.getuid() !== 0 ? words : [...asUser, ...words];
  if (hidden.length === 0) return unprivileged;
  // A file that cannot be executed lies over the program, for this server alone.
  const script =
    'n=$1; shift; while [ "$n" -gt 0 ]; do mount --bind /dev/null "$1"; shift; n=$((n - 1)); done; exec "$@"';
  const inner = ["sh", "-c", script, "sh", String(hidden.length), ...hidden, ...unprivileged];
  return ["unshare", "--mount", "--propagation", "private", "--", ...inner];
}

/** A folder of the user that the server of this place runs as. */
export function giveTo({ root }, folder) {
  if (!root && process.getuid() === 0) execFileSync("chown", ["-R", `${userId}:${userId}`, folder]);
}

function pathsOf(program) {
  return folders.map((folder) => `${folder}/${program}`).filter((path) => existsSync(path));
}
