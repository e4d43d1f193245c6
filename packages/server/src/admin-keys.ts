import { once } from "node:events";
import { createWriteStream } from "node:fs";
import type { ServerConfig } from "./config.ts";
import { rotateSigningKey } from "./flow/trail/rotate.ts";
import { lineOf } from "./journal/line.ts";
import { openReader, openStore } from "./store/index.ts";

/** What is printed: as JSON, and in words. */
type Told = readonly [value: object, text: string];
type Place = Pick<ServerConfig, "data" | "store">;

/** `keysIn` is the folder that holds `keys`: the data folder, or that of the helper. */
export async function rotateKey({ store: place }: Place, keysIn: string, lost: boolean): Promise<Told> {
  const store = await openStore(place);
  try {
    const { publicKey: key, keyId } = await rotateSigningKey(store, keysIn, lost);
    const told = lost
      ? "The old key signed nothing: everyone who remembers it will be warned. Publish the new key."
      : "The journal names it, signed by the old key: who remembers the old one follows. Keep the old one no longer.";
    return [{ key, id: keyId, lost }, `heads are signed by the key ${keyId} from now on: ${key}\n${told}`];
  } finally {
    await store.close();
  }
}

const rowsPerPage = 200;

/** Writes all rows, one a line, for `tess-verify journal`. */
export async function exportJournal({ store: place }: Place, file: string): Promise<Told> {
  const reader = await openReader(place);
  const out = createWriteStream(file, { mode: 0o600, flags: "wx" });
  await once(out, "open");
  let rows = 0;
  for (;;) {
    const page = await reader.rows(rows + 1, rowsPerPage);
    for (const row of page) if (!out.write(`${lineOf(row)}\n`)) await once(out, "drain");
    rows += page.length;
    if (page.length < rowsPerPage) break;
  }
  out.end();
  await once(out, "close");
  await reader.close();
  return [{ file, rows }, `${rows} rows written to ${file}`];
}
