import { parseArgs } from "node:util";
import { orExplain } from "../../launch/launch.js";
import { Lab } from "../lab/lab.js";
import { versions } from "../lab/versions.js";
import { soak } from "./soak.js";

const usage = `npm run soak:kubernetes: work on a cluster while it and Tessera are killed, cut off and interfered with

  --cycles N   100 acknowledged commands and one blow each (default 30)
  --nodes N    simulated nodes with 8 GPUs each (default 300)
  --seed N     where chance begins (default 1)
  --json       one JSON object as the last line, and nothing else on standard output

Exit codes: 0 nothing wrong, 1 otherwise.
Example: npm run soak:kubernetes -- --cycles 30 --json`;

async function main() {
  const { values } = parseArgs({
    options: {
      cycles: { type: "string", default: "30" },
      nodes: { type: "string", default: "300" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const [cycles, nodes, seed] = [values.cycles, values.nodes, values.seed].map(Number);
  const say = (text) => console.error(text);
  const beganAt = Date.now();
  const lab = await Lab.open({ kwokNodes: nodes, say });
  try {
    const { faults, ...report } = await soak({ lab, nodes, cycles, seed, say });
    for (const fault of faults) say(`FAULT ${fault}`);
    const seconds = Math.round((Date.now() - beganAt) / 1000);
    const whole = { version: versions.kubernetes, cycles, nodes, seed, seconds, ...report };
    console.log(values.json ? JSON.stringify(whole) : JSON.stringify(whole, null, 2));
    if (faults.length > 0 || report.neverEnded > 0 || report.podsLeft > 0) process.exitCode = 1;
  } finally {
    await lab.close();
  }
}

await orExplain(main);
