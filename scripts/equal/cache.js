import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keyOf } from "./list.js";

const recorder = ["preload.js", "record.js", "player.js"].map((name) => new URL(`hook/${name}`, import.meta.url));

/**
 * Streams of one base that were recorded before, in `.cache/equal` of the clone. They are found again while the base,
 * the task and the recorder are the same. The streams of one base are kept; another base takes their place.
 */
export class Cache {
  #folder;

  constructor(root, commit) {
    const code = createHash("sha256").update(process.version);
    for (const url of recorder) code.update(readFileSync(url));
    const name = `${commit.slice(0, 12)}-${code.digest("hex").slice(0, 12)}`;
    const all = join(root, ".cache", "equal");
    mkdirSync(join(all, name), { recursive: true });
    for (const other of readdirSync(all))
      if (other !== name) rmSync(join(all, other), { recursive: true, force: true });
    this.#folder = join(all, name);
  }

  /** What was recorded of a task; undefined when nothing was. */
  get(task) {
    const { facts, lines } = this.#pathsOf(task);
    return existsSync(facts) ? { ...JSON.parse(readFileSync(facts, "utf8")), path: lines } : undefined;
  }

  put(task, { stream, path, hash, lines: count }) {
    const { facts, lines } = this.#pathsOf(task);
    cpSync(path, lines);
    writeFileSync(facts, JSON.stringify({ stream, hash, lines: count }));
  }

  #pathsOf(task) {
    const base = join(this.#folder, keyOf(task));
    return { facts: `${base}.json`, lines: `${base}.jsonl.gz` };
  }
}
