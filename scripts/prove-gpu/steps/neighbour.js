import { setTimeout as sleep } from "node:timers/promises";
import { median, NotRun, round } from "../lab.js";

/** The p99 of a service alone, then beside a job that draws all the bandwidth it can get. */
async function measure(lab, service, hog) {
  const ids = [];
  try {
    const id = await lab.submit(...service);
    ids.push(id);
    await lab.said(id, "the service", (line) => line.p99);
    await sleep(10_500);
    const aloneUntil = Date.now();
    const other = await lab.submit(...hog);
    ids.push(other);
    await lab.said(other, "the hog", (line) => line.gbps);
    const from = Date.now();
    await sleep(12_500);
    const windows = await lab.lines(id);
    const alone = windows.slice(1).filter(({ at }) => at < aloneUntil);
    // Each line is about the 2 s before it.
    const beside = windows.filter(({ at }) => at > from + 2_000);
    const gbps = (await lab.lines(other)).map((line) => line.gbps).filter((each) => each !== undefined);
    const p99 = { alone: median(alone.map((each) => each.p99)), beside: median(beside.map((each) => each.p99)) };
    const p50 = { alone: median(alone.map((each) => each.p50)), beside: median(beside.map((each) => each.p50)) };
    return {
      ratio: round(p99.beside / p99.alone, 2),
      p99Ms: { alone: round(p99.alone), beside: round(p99.beside) },
      p50Ms: { alone: round(p50.alone), beside: round(p50.beside) },
      hogGbps: round(median(gbps), 0),
      windows: { alone: alone.length, beside: beside.length },
    };
  } finally {
    await lab.end(...ids);
  }
}

export const migNeighbour = {
  name: "p99 of a service beside a bandwidth hog, by MIG",
  async prove(lab) {
    const seen = await measure(
      lab,
      ["ben", "H200:2g.35gb", ["service", "120"]],
      ["ada", "H200:3g.71gb", ["hog", "60"]],
    );
    return { passed: seen.ratio <= 1.1, seen, limit: "at most 1.1 of alone" };
  },
};

export const mpsNeighbour = {
  name: "p99 of a service beside a bandwidth hog, by MPS",
  async prove(lab) {
    if (!(await lab.offers("mps"))) throw new NotRun("this engine offers no MPS");
    const seen = await measure(
      lab,
      ["ben", 0.5, ["service", "120"], { isolation: "mps" }],
      ["ben", 0.5, ["hog", "60"], { isolation: "mps" }],
    );
    return { passed: seen.ratio <= 4.6, seen, limit: "at most 4.6 of alone (decision 0016)" };
  },
};
