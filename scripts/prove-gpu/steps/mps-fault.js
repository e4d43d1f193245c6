import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NotRun } from "../lab.js";

/** What the MPS servers of the engine logged so far; one that has stopped takes its log along. */
function serverLog({ server }) {
  const folder = join(server.data, "engine", "gpus", "mps");
  try {
    return readdirSync(folder)
      .map((key) => readFileSync(join(folder, key, "log", "server.log"), "utf8"))
      .join("");
  } catch {
    return "";
  }
}

/**
 * Two jobs share a GPU by MPS and one faults: both come back for free, alone, and only then one fails. They are of one
 * tenant: what two tenants leave on a GPU is cleared by a reset, which virtual machines refuse.
 */
export const mpsFault = {
  name: "a fatal fault of a neighbour, by MPS",
  async prove(lab) {
    if (!(await lab.offers("mps"))) throw new NotRun("this engine offers no MPS");
    let log = "";
    const timer = setInterval(() => {
      log = serverLog(lab) || log;
    }, 50);
    const ids = [];
    try {
      const calm = await lab.submit("ben", 0.25, ["duty", "20", "120"], { isolation: "mps" });
      ids.push(calm);
      await lab.said(calm, "its load", (line) => line.ready);
      const wild = await lab.submit("ben", 0.25, ["fault"], { isolation: "mps", retry: 0 });
      ids.push(wild);
      const hits = [(await lab.hasAttempt(calm)).attempts[0], (await lab.hasAttempt(wild)).attempts[0]];
      const shared = log;
      // One GPU: they run one after the other, the one that was submitted first before.
      const back = await lab.reaches(calm, ["running"]);
      const waits = await lab.job(wild);
      await lab.end(calm);
      const { outcome, detail, attempts } = await lab.reaches(wild, ["ended"]);
      const free = hits.every(({ result }) => result === "neighbour_fault");
      const apart = back.attempt === 2 && waits.state === "waiting";
      const tries = Math.max(...attempts.map(({ attempt }) => attempt));
      return {
        passed: free && apart && outcome === "failed" && tries === 2,
        seen: {
          hits: hits.map(({ result, why }) => ({ result, why })),
          calm: { attempt: back.attempt },
          wild: { meanwhile: waits.reason, outcome, detail, tries },
          log: shared
            .split("\n")
            .filter((line) => /fatal|fault|Status of client|sticky/i.test(line))
            .slice(-8),
        },
      };
    } finally {
      clearInterval(timer);
      await lab.end(...ids);
    }
  },
};
