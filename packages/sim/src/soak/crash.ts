import { startTestPostgres } from "@tessera/server/testing/postgres";
import { countOf, parseCall, wordOf } from "../call.ts";
import { soak } from "./soak.ts";

const usage = `npm run soak:crash -- [options]: a real server under load, killed and restarted; is anything lost or doubled?

  --cycles N   100 acknowledged commands and a kill each; kills in a reclaim come on top (default 50)
  --store S    sqlite or postgres (default sqlite)
  --seed N     Where chance begins: the order of the kills and what clients ask for (default 1)
  --json       Print the report on one line

Exit codes: 0 nothing wrong, 1 otherwise, 2 wrong usage.`;

const values = parseCall(usage, {
  cycles: { type: "string", default: "50" },
  store: { type: "string", default: "sqlite" },
  seed: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
});
const cycles = countOf(usage, "--cycles", values.cycles);
const seed = countOf(usage, "--seed", values.seed);
const store = wordOf(usage, "--store", values.store, ["sqlite", "postgres"]);

const began = performance.now();
const postgres = store === "postgres" ? await startTestPostgres() : undefined;
try {
  if (store === "postgres" && postgres === undefined) throw new Error("there is no PostgreSQL to try");
  const { faults, verified, ran, taken, steppedDown, ...counts } = await soak({
    cycles,
    seed,
    ...(postgres !== undefined && { database: await postgres.freshDatabase() }),
    say: (text) => console.error(text),
  });
  for (const fault of faults) console.error(`FAULT ${fault}`);
  const seconds = Math.round((performance.now() - began) / 1000);
  const report = { store, seed, seconds, ran, taken, steppedDown, verified, ...counts };
  console.log(values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
  if (faults.length > 0 || !verified) process.exitCode = 1;
} finally {
  await postgres?.stop();
}
