/** A line on a terminal that says how far a run is; silent where nobody looks. */
export function progressLine(what: string, jobs: number, stream = process.stderr): (jobsOver: number) => void {
  if (!stream.isTTY) return () => {};
  const begun = performance.now();
  return (jobsOver) => {
    const done = Math.min(1, jobsOver / Math.max(1, jobs));
    const bar = "#".repeat(Math.round(done * 30)).padEnd(30, ".");
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
    stream.write(`\r${what} [${bar}] ${Math.round(done * 100)} % ${seconds} s\u001b[K${jobsOver >= jobs ? "\n" : ""}`);
  };
}
