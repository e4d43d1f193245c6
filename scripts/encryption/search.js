import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import pg from "pg";
import { canaries } from "./stand.js";

/** Everything in a file, also what is compressed or written in base64 or hexadecimal digits in it. */
function* formsOf(bytes) {
  yield bytes;
  for (const open of [gunzipSync, inflateSync, zstdDecompressSync]) {
    try {
      yield open(bytes);
    } catch {} // it is no such file
  }
}

/** A word as it is, in hexadecimal digits, and the parts of it that are the same in base64 wherever it stands. */
function spellingsOf(word) {
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(word)]).toString("base64");
    return text.slice(before === 0 ? 0 : 4, Math.floor((before + word.length) / 3) * 4);
  });
  return [word, Buffer.from(word).toString("hex"), ...inBase64].map((spelling) => Buffer.from(spelling));
}

const spellings = Object.entries(canaries).map(([name, word]) => [name, spellingsOf(word)]);

/** Which canaries are where in these folders, as a thief would look for them who has no key. */
export function search(folders, leftOut) {
  const found = Object.fromEntries(Object.keys(canaries).map((name) => [name, []]));
  let files = 0;
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      if (leftOut?.test(path)) continue;
      let bytes;
      try {
        bytes = readFileSync(path);
      } catch {
        continue; // removed meanwhile
      }
      files += 1;
      for (const form of formsOf(bytes))
        for (const [name, words] of spellings) if (words.some((word) => form.includes(word))) found[name].push(path);
    }
  }
  return { files, found };
}

/** The same in all tables of a database, and in its files and log where they are on this machine. */
export async function searchDatabase(url) {
  const client = new pg.Client(url);
  await client.connect();
  const found = Object.fromEntries(Object.keys(canaries).map((name) => [name, []]));
  try {
    const tables = await client.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'tessera'",
    );
    for (const { table_name: table } of tables.rows) {
      const { rows } = await client.query(`SELECT * FROM tessera.${table}`);
      const bytes = Buffer.concat(
        rows.flatMap(Object.values).map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(`${value}\n`))),
      );
      for (const [name, words] of spellings)
        if (words.some((word) => bytes.includes(word))) found[name].push(`table ${table}`);
    }
    const { rows } = await client.query("SHOW data_directory");
    const inFiles = search([rows[0].data_directory]);
    for (const [name, places] of Object.entries(inFiles.found)) found[name].push(...places);
    return { tables: tables.rows.length, files: inFiles.files, found };
  } finally {
    await client.end();
  }
}
