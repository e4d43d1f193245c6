import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceWhole } from "../lease/durable.ts";
import { readIfThere } from "../lease/folder.ts";
import type { MigInstance } from "./mig.ts";

/** What the driver's sampler reads of an instance with all of its multiprocessors at work. */
export interface Measured {
  readonly multiprocessors: number;
  readonly percent: number;
}

/** Puts a load on an idle instance and measures it; a text says why that was not possible. */
export type MeasureLoad = (gpu: string, instance: MigInstance) => Promise<Measured | string>;

/**
 * Which share of an instance its reading is about: the driver divides the work of its multiprocessors by all those of the
 * slots that it lies on, and the instance does not have all of these (0050).
 */
export interface FullLoad {
  readonly multiprocessors: number;
  /** By how many the driver divides. */
  readonly dividedBy: number;
}

interface Written extends FullLoad {
  /** A driver may count in another way, and is changed by a start of the machine. */
  readonly bootId: string;
}

/** A full load reads a little less than all: so much more than a whole number of multiprocessors a measurement may say. */
const overMax = 0.3;
const underMax = 0.05;

/** What a measurement says; undefined where it is none of a full load. */
export function fullLoadOf({ multiprocessors, percent }: Measured): FullLoad | undefined {
  const exact = (100 * multiprocessors) / percent;
  const dividedBy = Math.floor(exact + underMax);
  const isSound = dividedBy >= multiprocessors && dividedBy <= 2 * multiprocessors;
  return isSound && exact - dividedBy <= overMax ? { multiprocessors, dividedBy } : undefined;
}

/** Where full loads are kept: by GPU, profile and slot, and by the instances that are there. */
export class FullLoads {
  readonly #folder: string;
  readonly #bootId: string;

  constructor(gpuFolder: string, bootId: string) {
    this.#folder = join(gpuFolder, "full-load");
    this.#bootId = bootId;
  }

  /**
   * Call while nothing uses the instance. Measures once for each GPU, profile and slot; answers how long that took, if it
   * was done now.
   */
  async know(gpu: string, instance: MigInstance, measure: MeasureLoad): Promise<string | undefined> {
    const key = `${gpu} ${instance.profile}:${instance.start}`;
    const known = await this.#read(key);
    if (known !== undefined) {
      await this.#write(instance.uuid, known);
      return undefined;
    }
    const begunAt = performance.now();
    const measured = await measure(gpu, instance);
    const found = typeof measured === "string" ? undefined : fullLoadOf(measured);
    if (found === undefined) {
      // Another instance may have had this name.
      await rm(this.#file(instance.uuid), { force: true });
      return undefined;
    }
    for (const name of [key, instance.uuid]) await this.#write(name, found);
    return `full load measured in ${Math.round(performance.now() - begunAt)} ms`;
  }

  /** By the uuid of each instance for which it is known. */
  async all(): Promise<ReadonlyMap<string, FullLoad>> {
    const names = (await readdir(this.#folder).catch(() => [])).map((name) => name.replace(/\.json$/, ""));
    const known = new Map<string, FullLoad>();
    for (const name of names.filter((each) => each.startsWith("MIG-"))) {
      const found = await this.#read(name);
      if (found !== undefined) known.set(name, found);
    }
    return known;
  }

  async #read(name: string): Promise<FullLoad | undefined> {
    const text = await readIfThere(this.#file(name));
    const written = text === undefined ? undefined : (JSON.parse(text) as Written);
    return written?.bootId === this.#bootId ? written : undefined;
  }

  async #write(name: string, { multiprocessors, dividedBy }: FullLoad): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const written: Written = { bootId: this.#bootId, multiprocessors, dividedBy };
    await replaceWhole(this.#file(name), JSON.stringify(written));
  }

  #file(name: string): string {
    return join(this.#folder, `${name}.json`);
  }
}
