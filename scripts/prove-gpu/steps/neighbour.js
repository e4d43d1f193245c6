import { setTimeout as sleep } from "node:timers/promises";
import { median, NotRun, round } from "../lab.js";

/** Each phase is so long; the program tells of each 2 s. */
const phaseMs = 8_500;
/** By how much the service alone may differ before and after: more is noise of the machine. */
const noiseMax = 1.1;
const roundsMax = 3;

/**
 * The p99 of a service alone, beside a job that draws all the bandwidth it can get, and alone again. A round in which the
 * two phases alone disagree says little of the neighbour and is repeated; if none is quiet, the last one is judged.
 */
async function measure(lab, service, hog) {
  const id = await lab.submit(...service);
  try {
    await lab.said(id, "the service", (line) => line.p99);
    for (let rounds = 1; ; rounds++) {
      const seen = await oneRound(lab, id, hog);
      if (seen.noise <= noiseMax || rounds === roundsMax) return { ...seen, rounds };
    }
  } finally {
    await lab.end(id);
  }
}

async function oneRound(lab, id, hog) {
  const before = await phase();
  const other = await lab.submit(...hog);
  let beside;
  let gbps;
  try {
    await lab.said(other, "the hog", (line) => line.gbps);
    beside = await phase();
    gbps = (await lab.lines(other)).map((line) => line.gbps).filter((each) => each !== undefined);
  } finally {
    await lab.end(other);
  }
  const after = await phase();
  const windows = await lab.lines(id);
  // Each line is about the 2 s before it.
  const within = ({ from, to }) => windows.filter(({ at, p99 }) => p99 !== undefined && at > from + 2_000 && at <= to);
  const [first, middle, last] = [before, beside, after].map(within);
  const of = (which, from) => median(from.map((each) => each[which]));
  const noise = of("p99", first) / of("p99", last);
  const times = (which) => {
    const alone = of(which, [...first, ...last]);
    return { alone: round(alone), beside: round(of(which, middle)), ratio: round(of(which, middle) / alone, 2) };
  };
  return {
    ratio: times("p99").ratio,
    p99Ms: times("p99"),
    p50Ms: times("p50"),
    p99OnGpuMs: times("gpuP99"),
    noise: round(Math.max(noise, 1 / noise), 2),
    hogGbps: round(median(gbps), 0),
    windows: { alone: first.length + last.length, beside: middle.length },
  };
}

async function phase() {
  const from = Date.now();
  await sleep(phaseMs);
  return { from, to: Date.now() };
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
