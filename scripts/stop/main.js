import { parseArgs } from "node:util";
import { findPlaces } from "../places/places.js";
import { forms, torchrun } from "./forms.js";
import { prove } from "./prove.js";
import { findTorchrun } from "./torchrun.js";
import { ways } from "./ways.js";

const usage = `npm run prove:stop: every way of stopping x every form of command x root or not x bwrap, unshare, none

  --quick   two ways and four forms at each place
  --place P this place only, such as root/bwrap; may be repeated
  --json    one JSON object as the last line, and nothing else on standard output

Example: npm run prove:stop -- --json`;

async function main() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      place: { type: "string", multiple: true },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const say = (text) => console.error(text);
  const { places, leftOut } = findPlaces(say, { install: ["bubblewrap"] });
  const chosen = places.filter(({ name }) => values.place === undefined || values.place.includes(name));
  const program = findTorchrun();
  if (program === undefined) leftOut["form torchrun"] = "torchrun is not installed; the form launcher does the same";
  const allForms = { ...forms, ...(program !== undefined && { torchrun: torchrun(program) }) };
  const pick = (all, names) => Object.fromEntries(names.map((name) => [name, all[name]]));
  const report = await prove({
    places: chosen,
    ways: values.quick ? ["cancel", "reclaim"] : Object.keys(ways),
    forms: values.quick ? pick(allForms, ["bare", "line", "tree", "deaf"]) : allForms,
    say,
  });
  for (const [name, why] of Object.entries(leftOut)) say(`left out: ${name}: ${why}`);
  const { counts, failures } = report;
  if (values.json) console.log(JSON.stringify({ ...counts, failures, leftOut }));
  else {
    const shown = { "whole grace": counts.wholeGrace, saved: counts.saved, "back at the saved step": counts.resumed };
    for (const [name, { good, of }] of Object.entries(shown)) console.log(`${name}: ${good} of ${of}`);
  }
  if (failures.length > 0 || counts.jobs === 0) process.exitCode = 1;
}

await main();
