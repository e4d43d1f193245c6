import { parseArgs } from "node:util";
import { startTestPostgres } from "@tessera/server/testing/postgres";
import { soak } from "./soak.ts";

/** `npm run soak:crash`: a real server under load, killed and restarted again and again; does anything get lost or doubled? */
const usage = "npm run soak:crash -- [--cycles 50] [--store sqlite|postgres] [--seed N] [--json]";

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "50" },
    store: { type: "string", default: "sqlite" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
if (values.store !== "sqlite" && values.store !== "postgres") throw new Error(`--store ${values.store}: ${usage}`);

const began = performance.now();
const postgres = values.store === "postgres" ? await startTestPostgres() : undefined;
try {
  if (values.store === "postgres" && postgres === undefined) throw new Error("there is no PostgreSQL to try");
  const { faults, verified, ran, taken, ...counts } = await soak({
    cycles: Number(values.cycles),
    seed: Number(values.seed),
    ...(postgres !== undefined && { database: await postgres.freshDatabase() }),
    say: (text) => console.error(text),
  });
  for (const fault of faults) console.error(`FAULT ${fault}`);
  const seconds = Math.round((performance.now() - began) / 1000);
  const report = { store: values.store, seed: Number(values.seed), seconds, ran, taken, verified, ...counts };
  console.log(values.json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
  if (faults.length > 0 || !verified) process.exitCode = 1;
} finally {
  await postgres?.stop();
}
