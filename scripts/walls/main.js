import { parseArgs } from "node:util";
import { findPlaces } from "../places/places.js";
import { openServer } from "../places/server.js";
import { loadChecks } from "./checks.js";
import { proofs } from "./proofs.js";
import { prove, proveOnce } from "./prove.js";

const usage = `npm run prove:walls: every attack that was ever found, tried on a real server at every place where it matters

  --finding N  this finding only; may be repeated
  --proof P    this proof only; may be repeated: ${Object.keys(proofs).join(", ")}
  --place P    this place only, such as root/bwrap; may be repeated
  --json       one JSON object as the last line, and nothing else on standard output

Example: npm run prove:walls -- --finding 5 --finding 9`;

/** How many there were when this was written; each has a file of its checks. */
const findingCount = 20;

/** What the attacks and the walls need and a machine may lack. */
const packages = ["bubblewrap", "nftables", "slirp4netns", "passt", "libfaketime"];

async function main() {
  const { values } = parseArgs({
    options: {
      finding: { type: "string", multiple: true },
      proof: { type: "string", multiple: true },
      place: { type: "string", multiple: true },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const say = (text) => console.error(text);
  const { places, leftOut } = findPlaces(say, { install: packages });
  const all = values.finding === undefined && values.proof === undefined;
  const chosen = places.filter(({ name }) => values.place === undefined || values.place.includes(name));
  const numbers = Array.from({ length: findingCount }, (_, i) => i + 1).filter(
    (number) => all || values.finding?.includes(String(number)),
  );
  const checks = (await loadChecks()).filter(({ finding }) => numbers.includes(finding));
  const report = await prove({ places: chosen, numbers, checks, openServer, say });
  const names = Object.keys(proofs).filter((name) => all || values.proof?.includes(name));
  const proven = await proveOnce({ places: chosen, proofs, names, openServer, say });
  for (const [name, why] of Object.entries(leftOut)) say(`left out: ${name}: ${why}`);
  const verdicts = [...report.findings, ...Object.values(proven)];
  const held = report.findings.filter((finding) => finding.held).length;
  if (values.json)
    console.log(JSON.stringify({ held, of: report.findings.length, ...report, proofs: proven, leftOut }));
  else {
    console.log(`${held} of ${report.findings.length} findings held`);
    for (const [name, proof] of Object.entries(proven)) console.log(`${name}: ${proof.held ? "held" : "BROKEN"}`);
  }
  if (verdicts.length === 0 || verdicts.some((verdict) => !verdict.held)) process.exitCode = 1;
}

await main();
