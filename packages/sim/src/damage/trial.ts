import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { keysFor, openCompared, openReader, openStore, recoverChecked, verify } from "@tessera/server";
import { fillFromBackup } from "@tessera/server/testing/fill-from-backup";
import { Dice } from "../prove/dice.ts";
import { type Contents, contentsOf } from "./contents.ts";
import { copyFolder, type Fixture } from "./fixture.ts";
import { harm } from "./harm.ts";

/**
 * What became of one damage. `refused`: a start or a restore does not go on, and says why. `repaired`: it goes on with
 * everything that was there, and says what it mended. `verified`: `verify` says so. `harmless`: everything is there.
 */
export type Outcome = "refused" | "repaired" | "verified" | "harmless" | "silent loss";

export interface Case {
  readonly outcome: Outcome;
  readonly file: string;
  readonly harm: string;
  /** What was said, or what is missing. */
  readonly said: string;
}

/** One of the things that can be damaged. */
interface Target {
  readonly file: string;
  readonly from: "stopped" | "killed" | "backup";
  /** The path in the data folder. */
  readonly path: string;
  readonly within?: readonly number[];
}

const keyFiles = ["secrets.key", "server.key", "webhook.key", "sums"];

type Whole = Readonly<Record<Target["from"], Contents>>;

/** A fixture with what it holds while it is whole. */
export class Ground {
  readonly #fixture: Fixture;
  readonly #whole: Whole;
  readonly #targets: readonly Target[];
  readonly #scratch: string;

  private constructor(fixture: Fixture, scratch: string, whole: Whole, targets: readonly Target[]) {
    this.#fixture = fixture;
    this.#scratch = scratch;
    this.#whole = whole;
    this.#targets = targets;
  }

  static async survey(fixture: Fixture, scratch: string): Promise<Ground> {
    const restored = join(scratch, "restored");
    const { backup: file, key } = fixture;
    await fillFromBackup({ file, key, unsealed: false }, restored, { dir: join(restored, "store") });
    const whole = {
      stopped: await mustHold(fixture.stopped),
      killed: await mustHold(fixture.killed),
      backup: await mustHold(restored),
    };
    rmSync(restored, { recursive: true });
    const snapshot = await snapshotPlaces(fixture.stopped);
    const targets: Target[] = [
      { file: "store", from: "stopped", path: "store/store.sqlite" },
      { file: "store after a kill", from: "killed", path: "store/store.sqlite" },
      { file: "WAL", from: "killed", path: "store/store.sqlite-wal" },
      { file: "WAL index", from: "killed", path: "store/store.sqlite-shm" },
      { file: "head file", from: "stopped", path: "store/store.head" },
      { file: "head file after a kill", from: "killed", path: "store/store.head" },
      { file: "snapshot", from: "stopped", path: "store/store.sqlite", within: snapshot },
      { file: "keys", from: "stopped", path: "keys" },
      { file: "backup", from: "backup", path: "" },
    ];
    for (const { from, path } of targets) {
      if (from !== "backup" && !existsSync(join(fixture[from], path)))
        throw new Error(`there is no ${path} in ${from}`);
    }
    return new Ground(fixture, scratch, whole, targets);
  }

  /** Damages one thing in a copy, and finds out who notices. */
  async try(seed: number): Promise<Case> {
    const dice = new Dice(seed);
    // The files that hold everything come twice as often as the others.
    const target = dice.pick([
      ...this.#targets,
      ...this.#targets.filter(({ file }) => /^(store|WAL|backup)/.test(file)),
    ]);
    const data = join(this.#scratch, `case-${seed}`);
    try {
      return target.from === "backup" ? await this.#tryBackup(data, dice) : await this.#tryFolder(data, target, dice);
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  }

  async #tryFolder(data: string, { file, from, path, within }: Target, dice: Dice): Promise<Case> {
    copyFolder(this.#fixture[from as "stopped" | "killed"], data);
    const hit = path === "keys" ? `keys/${dice.pick(keyFiles)}` : path;
    const done = harm(join(data, hit), dice, within);
    const as = (outcome: Outcome, said: string): Case => ({ outcome, file, harm: `${hit}: ${done}`, said });
    const said: string[] = [];
    try {
      await startOn(data, (text) => said.push(text));
    } catch (error) {
      return as("refused", (error as Error).message);
    }
    const missing = await this.#missing(data, from);
    if (missing === undefined) return as(said.length > 0 ? "repaired" : "harmless", said.join("; "));
    const verdict = await verdictOf(data);
    return verdict === undefined ? as("silent loss", missing) : as("verified", verdict);
  }

  async #tryBackup(data: string, dice: Dice): Promise<Case> {
    const file = `${data}.backup`;
    cpSync(this.#fixture.backup, file);
    const done = harm(file, dice);
    const as = (outcome: Outcome, said: string): Case => ({ outcome, file: "backup", harm: done, said });
    try {
      const { key } = this.#fixture;
      await fillFromBackup({ file, key, unsealed: false }, data, { dir: join(data, "store") });
    } catch (error) {
      return as("refused", (error as Error).message);
    } finally {
      rmSync(file);
    }
    const missing = await this.#missing(data, "backup");
    return missing === undefined ? as("harmless", "") : as("silent loss", missing);
  }

  /** What is not as it was; undefined when everything is. */
  async #missing(data: string, from: Target["from"]): Promise<string | undefined> {
    const whole = this.#whole[from];
    const found = await contentsOf({ dir: join(data, "store") });
    if (found === undefined) return "the store is not sound";
    if (isDeepStrictEqual(found, whole)) return undefined;
    return `${JSON.stringify(found)} instead of ${JSON.stringify(whole)}`;
  }
}

async function mustHold(data: string): Promise<Contents> {
  const contents = await contentsOf({ dir: join(data, "store") });
  if (contents === undefined) throw new Error(`${data} is not sound before it was damaged`);
  return contents;
}

/** What a server does with the data folder before it acts; the same code, without its threads and its port. */
async function startOn(data: string, say: (text: string) => void): Promise<void> {
  const store = await openStore({ dir: join(data, "store") }, { say });
  try {
    const { state } = await recoverChecked(store, { despiteDamage: false, say });
    await keysFor({ data, secretsLost: false }, { reader: store, state }, say);
  } finally {
    await store.close();
  }
}

async function verdictOf(data: string): Promise<string | undefined> {
  try {
    const { reader, comparison } = await openCompared({ dir: join(data, "store") });
    const { fault } = await verify(reader);
    await reader.close();
    return fault ?? ("message" in comparison ? comparison.message : undefined);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Where in the file the newest snapshot is. */
async function snapshotPlaces(data: string): Promise<number[]> {
  const reader = await openReader({ dir: join(data, "store") });
  const snapshot = await reader.latestSnapshot();
  await reader.close();
  if (snapshot === undefined) throw new Error("there is no snapshot");
  const file = readFileSync(join(data, "store", "store.sqlite"));
  const places: number[] = [];
  const piece = 64;
  for (let from = 0; from + piece <= snapshot.bytes.length; from += piece) {
    const bytes = snapshot.bytes.subarray(from, from + piece);
    const at = file.indexOf(bytes);
    // What the snapshot before it, or a page that is no longer used, holds as well is not surely the newest's.
    if (at === -1 || file.indexOf(bytes, at + 1) !== -1) continue;
    for (let i = 0; i < piece; i++) places.push(at + i);
  }
  return places;
}
