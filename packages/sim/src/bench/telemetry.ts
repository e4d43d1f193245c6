import { countOf, parseCall } from "../call.ts";
import { benchTelemetry } from "./telemetry/run.ts";

const usage = `npm run bench:telemetry -- [options]: samples of a fleet beside the scheduler, and questions about a day

  --gpus N     GPUs of the fleet (default 50000)
  --rate N     Samples a second (default 10000)
  --rounds N   How often scheduling is measured without and with samples, in turn (default 5)
  --sparse N   The day samples one node in so many each minute (default 40)
  --queries N  Questions of each kind (default 100)
  --json       Print the report on one line

Exit codes: 0 every bar is met, 1 otherwise, 2 wrong usage.`;

const values = parseCall(usage, {
  gpus: { type: "string", default: "50000" },
  rate: { type: "string", default: "10000" },
  rounds: { type: "string", default: "5" },
  sparse: { type: "string", default: "40" },
  queries: { type: "string", default: "100" },
  json: { type: "boolean", default: false },
});
const count = (option: keyof typeof values & string) => countOf(usage, `--${option}`, String(values[option]));
const report = await benchTelemetry({
  ...{ gpus: wholeNodes(count("gpus")), samplesPerSecond: count("rate"), rounds: count("rounds"), scheduling: "mixed" },
  day: { minutes: 24 * 60, nodesIn: count("sparse"), queries: count("queries") },
  say: (text) => console.error(text),
});
console.log(JSON.stringify(report, undefined, values.json ? undefined : 2));
process.exitCode = report.pass ? 0 : 1;

/** A node has eight. */
function wholeNodes(gpus: number): number {
  return Math.ceil(gpus / 8) * 8;
}
