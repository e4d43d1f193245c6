import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const top = "/sys/fs/cgroup";

/** The trees of this machine: one for each controller in version 1, one in all in version 2. */
function trees() {
  if (existsSync(join(top, "cgroup.controllers"))) return [top];
  const named = readdirSync(top).filter((name) => name !== "unified");
  return named.map((name) => join(top, name)).filter((path) => existsSync(join(path, "cgroup.procs")));
}

/** The name carries the process of the lab, so that a later one can remove what a killed one left. */
export function cgroupName(index) {
  return `tess-lab-${process.pid}-${index}`;
}

export function makeCgroup(name) {
  for (const tree of trees()) {
    for (const left of readdirSync(tree)) {
      const owner = /^tess-lab-(\d+)-\d+$/.exec(left)?.[1];
      if (owner !== undefined && !existsSync(`/proc/${owner}`)) removeTree(join(tree, left));
    }
    mkdirSync(join(tree, name), { recursive: true });
  }
}

/** The kernel needs a moment to let go of processes that were killed. */
export async function removeCgroup(name) {
  for (let tries = 0; tries < 100; tries++) {
    if (trees().every((tree) => removeTree(join(tree, name)))) return;
    await sleep(50);
  }
}

function removeTree(folder) {
  if (!existsSync(folder)) return true;
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of below) removeTree(join(folder, name));
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false; // a process is still in it
  }
}
