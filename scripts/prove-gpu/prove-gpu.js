import { parseArgs } from "node:util";
import { makeWhole, NotRun, openLab, smi } from "./lab.js";
import { steps } from "./steps.js";

const usage = `node scripts/prove-gpu/prove-gpu.js: parts of a real H200 through a real server, in under ten minutes

  --step NAME   this step only; may be repeated: ${Object.keys(steps).join(", ")}
  --json        one JSON object as the last line, and nothing else on standard output

Needs root, the NVIDIA driver, and a python3 with PyTorch. The GPU must be free. It is whole again at the end.`;

/** Time for the steps; what has not begun by then is not run, so that the GPU is made whole in time. */
const stepsMsMax = 480_000;

async function main() {
  const options = { step: { type: "string", multiple: true }, json: { type: "boolean" }, help: { type: "boolean" } };
  const { values } = parseArgs({ options });
  if (values.help) return console.log(usage);
  const say = (text) => console.error(text);
  const chosen = Object.entries(steps).filter(([key]) => values.step === undefined || values.step.includes(key));
  const begunAt = performance.now();
  const about = (await smi("--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")).text.trim();
  say(`prove-gpu: ${about}`);
  const results = [];
  let whole;
  let lab;
  try {
    lab = await openLab(say);
    for (const [key, step] of chosen) {
      const late = performance.now() - begunAt > stepsMsMax;
      results.push({ step: key, ...(late ? notRun("no time was left") : await tried(step, lab)) });
      say(line(results.at(-1)));
    }
  } catch (error) {
    results.push({ step: "server", result: "failed", why: error.message.slice(0, 2_000) });
    say(line(results.at(-1)));
  } finally {
    await lab?.server.close().catch((error) => say(`closing: ${error.message}`));
    whole = await makeWhole();
  }
  const isWhole = whole.mode === "Disabled" && whole.instances === 0 && whole.processes === 0;
  results.push({
    step: "whole-again",
    name: "everything whole again",
    result: isWhole ? "passed" : "failed",
    seen: whole,
  });
  say(line(results.at(-1)));
  const seconds = Math.round((performance.now() - begunAt) / 1000);
  const count = (result) => results.filter((each) => each.result === result).length;
  const summary = {
    about,
    seconds,
    passed: count("passed"),
    failed: count("failed"),
    notRun: count("not-run"),
    results,
  };
  console.log(
    values.json
      ? JSON.stringify(summary)
      : `${summary.passed} passed, ${summary.failed} failed, ${summary.notRun} not run`,
  );
  process.exitCode = summary.failed > 0 ? 1 : 0;
}

const notRun = (why) => ({ result: "not-run", why });

async function tried(step, lab) {
  const startedAt = performance.now();
  const took = () => ({ name: step.name, seconds: Math.round((performance.now() - startedAt) / 1000) });
  try {
    const { passed, ...rest } = await step.prove(lab);
    return { ...took(), result: passed ? "passed" : "failed", ...rest };
  } catch (error) {
    if (error instanceof NotRun) return { ...took(), ...notRun(error.message) };
    return { ...took(), result: "failed", why: error.message.slice(0, 2_000) };
  }
}

function line({ step, result, seconds = 0, why, seen }) {
  return `${result.padEnd(7)} ${step.padEnd(14)} ${String(seconds).padStart(4)} s  ${why ?? JSON.stringify(seen)}`;
}

await main();
process.exit();
