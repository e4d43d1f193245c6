import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../places/server.js";
import { jobOf, submit } from "../jobs.js";

const isRoot = ({ name }) => name.startsWith("root/");

export const checks = [
  { finding: 10, name: "a job that names no limits takes all memory", at: isRoot, prove: takeMemory },
  { finding: 10, name: "a job that names no limits forks without end", at: isRoot, prove: forkWithoutEnd },
  { finding: 10, name: "what all jobs may have together", at: isRoot, prove: shareOfAll },
  { finding: 10, name: "a server without control groups says so", at: ({ name }) => !isRoot({ name }), prove: saysSo },
];

const endMsMax = 60_000;

async function takeMemory({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const id = await submit(server, server.owner, { project: "local", run: "tail /dev/zero" });
    await until("it has ended", endMsMax, async () => (await jobOf(server, server.owner, id)).state === "ended");
    const said = await server.tess("logs", id);
    return { held: /killed by the kernel: more memory than its limit/.test(said), seen: said.trim().slice(-120) };
  } finally {
    await server.close();
  }
}

async function forkWithoutEnd({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const bomb =
      "bash -c 'f() { f | f & }; for i in 1 2 3; do f; sleep 1; done' >/dev/null 2>&1; sleep 1; ls /proc | grep -c ^[0-9]";
    await submit(server, server.owner, {
      project: "local",
      run: `timeout 6 sh -c "${bomb.replaceAll('"', '\\"')}"; exit 0`,
    });
    const most = await highestCount(5_000);
    const { status } = await server.api("GET", "/readyz");
    return { held: most < 5_000 && status === 200, seen: `at most ${most} processes in one job; ready ${status}` };
  } finally {
    await server.close();
  }
}

async function highestCount(ms) {
  let most = 0;
  const end = performance.now() + ms;
  while (performance.now() < end) {
    for (const folder of jobGroups("pids.current")) most = Math.max(most, Number(readOf(folder, "pids.current")));
    await new Promise((go) => setTimeout(go, 100));
  }
  return most;
}

/** The groups of jobs in the hierarchy that has this file. */
function jobGroups(file) {
  const top = groupOfAll(file);
  if (top === undefined) return [];
  return readdirSync(top, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(top, name));
}

function groupOfAll(file) {
  const places = ["", "pids", "memory", "cpu"].map((name) => join("/sys/fs/cgroup", name, "tessera/jobs"));
  return places.find((folder) => existsSync(join(folder, file)));
}

function readOf(folder, file) {
  try {
    return readFileSync(join(folder, file), "utf8").trim();
  } catch {
    return "0"; // the job has ended meanwhile
  }
}

async function shareOfAll({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const files = ["memory.max", "memory.limit_in_bytes"];
    const file = files.find((name) => groupOfAll(name) !== undefined);
    if (file === undefined) return { held: false, seen: "no group around all jobs" };
    const bytes = Number(readOf(groupOfAll(file), file));
    const all = Number(/MemTotal:\s+(\d+)/.exec(readFileSync("/proc/meminfo", "utf8"))[1]) * 1024;
    const processes = Number(readOf(groupOfAll("pids.max"), "pids.max"));
    const held = bytes < all && processes > 0 && processes < Number(readFileSync("/proc/sys/kernel/pid_max", "utf8"));
    return { held, seen: `${Math.round(bytes / 2 ** 20)} of ${Math.round(all / 2 ** 20)} MiB, ${processes} processes` };
  } finally {
    await server.close();
  }
}

async function saysSo({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const said = /no control group limits .*/.exec(server.said)?.[0];
    const body = { project: "local", run: "true", gpus: 1, cpus: 1, memory: "100MiB", strict: true };
    const id = await submit(server, server.owner, body);
    await until("it has ended", endMsMax, async () => (await jobOf(server, server.owner, id)).state === "ended");
    const refused = JSON.stringify(await jobOf(server, server.owner, id));
    const held = said !== undefined && /not every limit can be enforced/.test(refused);
    return { held, seen: `the start: ${said}; strict: ${held ? "refused" : "not refused"}` };
  } finally {
    await server.close();
  }
}
