import { readFileSync } from "node:fs";

const ticksPerSecond = 100;

/** The CPU time that processes have taken so far, in milliseconds by name. It says where time goes on a busy machine too. */
export function cpuOf(pids) {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, cpuMs(pid)]));
}

export function cpuPerPod(before, after, pods) {
  const each = Object.keys(after).map((name) => [name, Math.round(((after[name] - before[name]) / pods) * 100) / 100]);
  return Object.fromEntries(each);
}

/** Of a process and all its threads; the name of a process may hold spaces, so fields are counted from its end. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}
