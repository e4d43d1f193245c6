import { cpuOf, cpuPerPod } from "./cpu.js";
import { countWrites, writesPerPod } from "./writes.js";

const stuckMs = 300_000;

/** One way of starting one case on an empty fleet: how fast, how long each job waited, and what it cost the API server. */
export async function measure({ api, observer, way, groups, pids }) {
  const pods = groups.reduce((sum, { members }) => sum + members, 0);
  const submittedAt = new Map();
  const before = await countWrites(api);
  const cpuBefore = cpuOf(pids);
  const all = observer.expect(pods);
  const beganAt = performance.now();
  const note = (name, at = performance.now()) => submittedAt.set(name, at);
  await Promise.all([way.submit(groups, note), orStuck(all, () => `${observer.count} of ${pods} pods run`)]);
  const running = observer.groups();
  const endedAt = Math.max(...running.values());
  const waits = [...submittedAt].map(([name, at]) => running.get(name) - at).sort((a, b) => a - b);
  const cpu = cpuPerPod(cpuBefore, cpuOf(pids), pods);
  const writes = writesPerPod(before, await countWrites(api), pods);
  await way.clear();
  return {
    jobsPerSecond: (groups.length * 1000) / (endedAt - beganAt),
    podsPerSecond: (pods * 1000) / (endedAt - beganAt),
    p50Ms: waits[Math.floor(waits.length * 0.5)],
    p99Ms: waits[Math.floor(waits.length * 0.99)],
    writes,
    cpu,
  };
}

async function orStuck(promise, state) {
  let timer;
  const stuck = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`stuck after ${stuckMs} ms: ${state()}`)), stuckMs);
  });
  try {
    await Promise.race([promise, stuck]);
  } finally {
    clearTimeout(timer);
  }
}
