/** The middle of several measurements, and the least and the greatest. */
export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const [least, middle, greatest] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  return { median: round(middle), least: round(least), greatest: round(greatest) };
}

/** All repeats of one way of one case. */
export function summaryOf(repeats) {
  const each = (name) => spreadOf(repeats.map((repeat) => repeat[name]));
  return {
    jobsPerSecond: each("jobsPerSecond"),
    podsPerSecond: each("podsPerSecond"),
    p50Ms: each("p50Ms"),
    p99Ms: each("p99Ms"),
    writesPerPod: repeats.at(-1).writes,
    cpuMsPerPod: repeats.at(-1).cpu,
  };
}

function round(value) {
  return Math.round(value * 10) / 10;
}
