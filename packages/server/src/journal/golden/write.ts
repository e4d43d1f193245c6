import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { snapshotSchema, writeSnapshot } from "@tessera/core";
import { sha256 } from "../digest.ts";
import { lineOf } from "../line.ts";
import { tellStory } from "./story.ts";

/**
 * Makes a NEW golden journal from today's story: node packages/server/dist/journal/golden/write.js 0002-what-is-new
 * Those that are there are never made again: they stand for journals that people have.
 */
const name = process.argv[2];
if (name === undefined || !/^\d{4}-[a-z0-9-]+$/.test(name)) {
  throw new Error("name the new file by number and what is new in it, such as 0002-bookings");
}
const file = fileURLToPath(new URL(`../../../src/journal/golden/${name}.golden.jsonl`, import.meta.url));
if (existsSync(file)) throw new Error(`${file} exists, and a golden journal is never made again; choose another name`);
const { rows, state } = tellStory(name);
writeFileSync(file, `${rows.map(lineOf).join("\n")}\n`);
const hash = sha256(Buffer.from(writeSnapshot(state))).toString("hex");
console.log(`${rows.length} rows in ${name}.golden.jsonl. Add to state-hashes.json:`);
console.log(`"${name}.golden.jsonl": { "${snapshotSchema}": "${hash}" }`);
