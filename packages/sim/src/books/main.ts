import { parseArgs } from "node:util";
import { seedOf } from "../prove/dice.ts";
import { emptyTally, tryCase } from "./trial.ts";

const usage = `npm run prove:books -- [options]: random fleets, prices, faults and late usage; every promise about money is checked

  --cases N  How many cases (default 1000)
  --seed N   Where chance begins (default 1)
  --first N  The number of the first case (default 0); with --cases 1 it repeats one
  --json     Print only the last line, one JSON object

Exit codes: 0 nothing found, 1 otherwise, 2 wrong usage.`;

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    first: { type: "string", default: "0" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

function count(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(usage);
  process.exit(2);
}

if (values.help) console.log(usage);
else {
  const [cases, seed, first] = [count(values.cases), count(values.seed), count(values.first)];
  const tally = emptyTally();
  const sound = (found: typeof tally) => {
    const { cases: _cases, entries: _entries, ...faults } = found;
    return Object.values(faults).every((value) => value === 0);
  };
  for (let no = first; no < first + cases; no++) {
    const was = sound(tally);
    tryCase(seedOf(seed, no), tally);
    if (was && !sound(tally)) console.error(`first fault in case ${no} of seed ${seed}: ${JSON.stringify(tally)}`);
    if (!values.json && no % 500 === 499) console.log(`${no + 1 - first} cases, ${tally.entries} entries`);
  }
  console.log(JSON.stringify({ ...tally, seed }));
  process.exitCode = sound(tally) ? 0 : 1;
}
