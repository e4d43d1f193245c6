import { readdirSync } from "node:fs";

const folder = new URL("./findings/", import.meta.url);

/**
 * Every check, in the order of its finding. A check is `{ finding, name, at(place), prove({ place, openServer, say }) }`;
 * `prove` answers `{ held, seen }`: whether the wall held, and in one line what was seen.
 */
export async function loadChecks() {
  const files = readdirSync(folder)
    .filter((name) => /^\d\d-[\w-]+\.js$/.test(name))
    .sort();
  const checks = [];
  for (const file of files) checks.push(...(await import(new URL(file, folder).href)).checks);
  return checks.sort((a, b) => a.finding - b.finding);
}
