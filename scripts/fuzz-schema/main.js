import { parseArgs } from "node:util";
import { startServer } from "../fuzz/server.js";
import { runChecks } from "./run.js";
import { schemathesis } from "./tool.js";
import { makeThings } from "./world.js";

const usage = `npm run fuzz:schema: Schemathesis, with all its checks, on the API's own description

  --examples N  random requests for each operation (default 20)
  --seed N      asks the same questions again (default 13)
  --json        one JSON object as the last line, and nothing else on standard output

Example: npm run fuzz:schema -- --examples 50 --json`;

async function main() {
  const { values } = parseArgs({
    options: {
      examples: { type: "string", default: "20" },
      seed: { type: "string", default: "13" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const [examples, seed] = [Number(values.examples), Number(values.seed)];
  if (!(examples >= 1) || !Number.isInteger(examples) || !Number.isInteger(seed)) {
    console.error(`--examples and --seed are whole numbers\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  const { program, missing } = schemathesis();
  if (program === undefined) {
    console.error(`skipped: ${missing}`);
    console.log(JSON.stringify({ skipped: missing }));
    return;
  }
  // Commands are random text, so nothing may run them: the fleet is simulated.
  const server = await startServer(["--simulated", "4x8:H100"]);
  const report = { seed, examples };
  let good = true;
  try {
    const { token, parameters } = await makeThings(server.url, server.ownerToken);
    for (const [name, phases, fixed] of [
      ["random", "examples,coverage,fuzzing,stateful", {}],
      // Sequences of requests follow what they made themselves, which a fixed name would cut off.
      ["known", "coverage,fuzzing", parameters],
    ]) {
      console.error(`${name} names in paths, seed ${seed}, ${examples} requests for each operation`);
      const run = await runChecks({ program, server, token, name, phases, parameters: fixed, seed, examples });
      report[name] = run.result;
      good &&= run.good;
    }
    // Without its token everything would be refused, and nothing would have been looked at.
    const { status } = await fetch(`${server.url}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
    report.alive = server.alive() && status === 200;
    good &&= report.alive;
  } finally {
    await server.stop();
    server.remove();
  }
  console.log(JSON.stringify(report));
  if (!good) process.exitCode = 1;
}

await main();
