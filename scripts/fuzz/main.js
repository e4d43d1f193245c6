import { parseArgs } from "node:util";
import { fuzz } from "./fuzz.js";

const usage = `npm run fuzz:api: random and hostile requests against a real server

  --minutes N   how long (default 2)
  --seed N      asks the same questions again
  --json        one JSON object as the last line, and nothing else on standard output

Example: npm run fuzz:api -- --minutes 2 --json`;

async function main() {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "2" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0) || !Number.isInteger(seed)) {
    console.error(`--minutes and --seed are numbers\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  console.error(`fuzzing for ${minutes} minutes with seed ${seed}`);
  const { report, examples, said } = await fuzz({ seconds: minutes * 60, seed });
  for (const { kind, request, answer } of examples) console.error(`${kind}: ${request}\n  -> ${answer}`);
  const good =
    report.serverErrors + report.hangs + report.leaks === 0 && report.verified && report.jobRan && report.left === 0;
  if (!good) console.error(said);
  console.log(JSON.stringify(report));
  if (!good) process.exitCode = 1;
}

await main();
