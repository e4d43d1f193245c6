import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readSealed, writeSealed } from "./sealed.ts";

/** Where the data keys of an installation are: their folder, and the master key where that lies beside it. */
interface KeyPlace {
  readonly folder: string;
  /** A path, or a service that gives nothing away. */
  readonly master: string | object;
}

/** Texts of files by name. */
type Files = Readonly<Record<string, string>>;

/**
 * The data keys lie in a file beside the backup and not in it: what was shredded stays shredded once that small file is
 * removed, and the backup need not be touched.
 */
export function keyCopyOf(backup: string): string {
  return `${backup}.keys`;
}

/** Writes the data keys, and the master key where the installation itself holds it, sealed with the key of the backup. */
export async function writeKeyCopy({ folder, master }: KeyPlace, to: string, key: Buffer): Promise<number> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const own =
    typeof master === "string" && dirname(master) === dirname(folder) && existsSync(master) ? master : undefined;
  const copy = {
    keys: Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")])),
    ...(own !== undefined && { master: readFileSync(own, "utf8") }),
  };
  const file = await open(to, "wx", 0o600);
  try {
    await writeSealed(file, [Buffer.from(JSON.stringify(copy))], key);
    await file.sync();
  } finally {
    await file.close();
  }
  return names.length;
}

/** Puts the data keys of a copy where there are none; those that are there stay. Returns how many there are then. */
export async function takeKeyCopy(from: string, { folder, master: place }: KeyPlace, key: Buffer): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of readSealed(from, key)) parts.push(part);
  const { keys, master } = JSON.parse(Buffer.concat(parts).toString("utf8")) as { keys: Files; master?: string };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (master !== undefined && typeof place === "string" && !existsSync(place))
    writeFileSync(place, master, { mode: 0o600, flush: true });
  for (const [name, text] of Object.entries(keys)) {
    const path = join(folder, basename(name));
    if (!existsSync(path)) writeFileSync(path, text, { mode: 0o600, flush: true });
  }
}
