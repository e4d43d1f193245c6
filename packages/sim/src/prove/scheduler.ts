import { parseArgs } from "node:util";
import { runMutants } from "./mutants.ts";
import { type Failing, search, shrunk, signOf } from "./search.ts";
import { scenarioText } from "./text.ts";

const usage = `npm run prove:scheduler -- [options]: random cases on the real scheduler, judged by the naive model

  --cases N      How many cases (default 2000)
  --seed N       Where chance begins (default 1)
  --first N      The number of the first case (default 0); with --cases 1 it repeats one
  --two-engines  Put the nodes of each case into two engines
  --until-fault  Stop at the first fault
  --no-shrink    Show failing cases as they are
  --mutants      Break the scheduler in small ways and count how many of them the search finds
  --json         Print only the last line, one JSON object

Exit codes: 0 nothing found (with --mutants: all found), 1 otherwise, 2 wrong usage.`;

/** Kinds of failure that are shrunk and shown; more of the same kind add nothing. */
const shownMax = 8;

function main(argv: readonly string[]): number {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      cases: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      first: { type: "string", default: "0" },
      "two-engines": { type: "boolean", default: false },
      "until-fault": { type: "boolean", default: false },
      "no-shrink": { type: "boolean", default: false },
      mutants: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [cases, seed, first] = [count(values.cases, "cases"), count(values.seed, "seed"), count(values.first, "first")];
  const say = values.json ? () => {} : (text: string) => console.log(text);
  if (values.mutants) return runMutants({ cases, seed, say, out: (line) => console.log(line) });
  const begun = performance.now();
  const { tally, failing } = search({
    ...{ seed, first, cases, twoEngines: values["two-engines"] },
    enough: (found, index) => {
      if (index % 1000 === 999) say(`${index + 1 - first} cases, ${found.length} failing, ${elapsed(begun)}`);
      return values["until-fault"] && found.length > 0;
    },
  });
  for (const [sign, count] of signs(failing)) say(`${count} times ${sign}`);
  for (const each of firstOfEach(failing)) {
    const small = values["no-shrink"] ? each : shrunk(each);
    const how = each.restarts ? ", restarted before each batch" : "";
    const why = `case ${each.index} of seed ${seed}${how}: ${small.finding.kind}: ${small.finding.what}`;
    // With --json the scenario goes to stderr, so that stdout holds only the object.
    (values.json ? console.error : console.log)(`${scenarioText(small.scenario, why)}`);
  }
  console.log(JSON.stringify({ ...tally, seed }));
  return failing.length === 0 ? 0 : 1;
}

function signs(failing: readonly Failing[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { finding } of failing) counts.set(signOf(finding), (counts.get(signOf(finding)) ?? 0) + 1);
  return counts;
}

function firstOfEach(failing: readonly Failing[]): Failing[] {
  const bySign = new Map<string, Failing>();
  for (const each of failing) if (!bySign.has(signOf(each.finding))) bySign.set(signOf(each.finding), each);
  return [...bySign.values()].slice(0, shownMax);
}

function count(text: string, name: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError(`--${name} is ${text}, not a whole number`);
}

function elapsed(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(1)} s`;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  console.error(`prove:scheduler: ${error.message}\n${usage}`);
  process.exitCode = 2;
}
