import { writeFileSync } from "node:fs";

/** Loaded before a program, writes what it cost into a file when it ends. */
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cost = { wallMs: performance.now(), cpuMs: (userCPUTime + systemCPUTime) / 1_000, peakMiB: maxRSS / 1_024 };
  writeFileSync(process.env.TESSERA_EQUAL_COST, JSON.stringify(cost));
});
