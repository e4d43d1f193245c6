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

/** Two tenants of one trust group share a GPU by MPS: one faults and fails, the other comes back for free. */
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
      const wild = await lab.submit("bea", 0.25, ["fault"], { isolation: "mps", retry: 0 });
      ids.push(wild);
      const { outcome, detail } = await lab.reaches(wild, ["ended"]);
      const hit = await lab.hasAttempt(calm);
      const { result, why } = hit.attempts[0];
      const back = await lab.reaches(calm, ["running"]);
      return {
        passed: outcome === "failed" && result === "neighbour_fault" && back.attempt === 2,
        seen: {
          culprit: { outcome, detail },
          neighbour: { result, why, attempt: back.attempt },
          log: log
            .split("\n")
            .filter((line) => /fatal|fault|Status of client|sticky/i.test(line))
            .slice(-12),
        },
      };
    } finally {
      clearInterval(timer);
      await lab.end(...ids);
    }
  },
};
