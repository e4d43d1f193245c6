import { parseArgs } from "node:util";
import { Failure } from "../../launch/failure.js";
import { orExplain } from "../../launch/launch.js";
import { Lab } from "../lab/lab.js";
import { versions } from "../lab/versions.js";
import { emptyLab } from "./empty.js";
import { parts } from "./parts.js";

const usage = `npm run test:kubernetes: everything that needs a cluster, on one that is built and started here

  --only PART   this part only; may be repeated. Parts: ${Object.keys(parts).join(", ")}
  --json        one JSON object as the last line, and nothing else on standard output

KUBE_CACHE says where its programs are built (once: about half an hour and 12 GB), K8S_VERSION which version. Needs root.
Example: npm run test:kubernetes -- --only suite-kwok --json`;
const kwokNodes = 20;
/** A model of their own, so that a test can choose between simulated and real nodes. */
const realLabels = { "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.memory": "81920" };

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const chosen = values.only ?? Object.keys(parts);
  for (const name of chosen) {
    if (parts[name] !== undefined) continue;
    const advice = `Parts are: ${Object.keys(parts).join(", ")}.`;
    throw new Failure(`there is no part ${name}`, { advice, exitCode: 2 });
  }
  const say = (text) => console.error(text);
  const beganAt = Date.now();
  const report = { version: versions.kubernetes };
  const lab = await Lab.open({ kwokNodes, say });
  try {
    for (const name of chosen) report[name] = await runPart(lab, name, say);
  } finally {
    await lab.close();
  }
  const failed = chosen.filter((name) => report[name].failed > 0);
  const whole = { ...report, seconds: secondsSince(beganAt), failed };
  console.log(values.json ? JSON.stringify(whole) : JSON.stringify(whole, null, 2));
  if (failed.length > 0) process.exitCode = 1;
}

/** One part, which may fail without keeping the others from running. */
async function runPart(lab, name, say) {
  const { real, run } = parts[name];
  const beganAt = Date.now();
  say(`== ${name}`);
  try {
    for (let no = lab.realNodes.length; no < real; no++) {
      await lab.addNode({ name: `real-${no + 1}`, networkPolicy: true, labels: realLabels });
    }
    await emptyLab(lab);
    return { ...(await run(lab, { say })), seconds: secondsSince(beganAt) };
  } catch (error) {
    say(`FAIL ${error.stack}`);
    return { passed: 0, failed: 1, faults: [{ name, fault: error.message }], seconds: secondsSince(beganAt) };
  }
}

function secondsSince(beganAt) {
  return Math.round((Date.now() - beganAt) / 1000);
}

await orExplain(main);
