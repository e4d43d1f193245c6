import { parseArgs } from "node:util";
import { findPlaces } from "../places/places.js";
import { openServer } from "../places/server.js";
import { loadChecks } from "./checks.js";
import { prove } from "./prove.js";

const usage = `npm run prove:walls: every attack that was ever found, tried on a real server at every place where it matters

  --finding N  this finding only; may be repeated
  --place P    this place only, such as root/bwrap; may be repeated
  --json       one JSON object as the last line, and nothing else on standard output

Example: npm run prove:walls -- --finding 5 --finding 9`;

/** What the attacks and the walls need and a machine may lack. */
const packages = ["bubblewrap", "nftables", "slirp4netns", "passt", "libfaketime"];

async function main() {
  const { values } = parseArgs({
    options: {
      finding: { type: "string", multiple: true },
      place: { type: "string", multiple: true },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const say = (text) => console.error(text);
  const { places, leftOut } = findPlaces(say, { install: packages });
  const checks = await loadChecks();
  const report = await prove({
    places: places.filter(({ name }) => values.place === undefined || values.place.includes(name)),
    checks: checks.filter(({ finding }) => values.finding === undefined || values.finding.includes(String(finding))),
    openServer,
    say,
  });
  for (const [name, why] of Object.entries(leftOut)) say(`left out: ${name}: ${why}`);
  const held = report.findings.filter((finding) => finding.held).length;
  if (values.json) console.log(JSON.stringify({ held, of: report.findings.length, ...report, leftOut }));
  else console.log(`${held} of ${report.findings.length} findings held`);
  if (held < report.findings.length || held === 0) process.exitCode = 1;
}

await main();
