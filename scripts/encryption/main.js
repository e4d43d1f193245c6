import { startTestPostgres } from "../../packages/server/dist/testing/postgres.js";
import { tryMutants } from "./mutants.js";
import { prove } from "./prove.js";

/**
 * npm run prove:encryption -- [--store sqlite|postgres|both] [--rotations N] [--mutants] [--json]: rotates the keys of both
 * levels under load, killing the server again and again, reads everything again and searches for canaries what a thief
 * without the master key would have. With --mutants it shows instead that the search finds each seal that is left out.
 */
const option = (name, usual) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? usual : process.argv[at + 1];
};
const json = process.argv.includes("--json");
const say = (text) => json || console.log(text);

async function results() {
  if (process.argv.includes("--mutants")) return tryMutants(say);
  const asked = option("--store", "both");
  const rotations = Number(option("--rotations", "2"));
  const proved = [];
  if (asked !== "postgres") proved.push(await prove({ rotations, say }));
  if (asked === "sqlite") return proved;
  const postgres = await startTestPostgres();
  if (postgres === undefined) return proved;
  try {
    proved.push(await prove({ database: await postgres.freshDatabase(), rotations, say }));
  } finally {
    await postgres.stop();
  }
  return proved;
}

const all = await results();
const report = { held: all.length > 0 && all.every(({ held }) => held), results: all };
console.log(json ? JSON.stringify(report) : JSON.stringify(report, null, 2));
if (!report.held) process.exitCode = 1;
