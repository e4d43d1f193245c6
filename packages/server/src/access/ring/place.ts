import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { FileMaster } from "./master.ts";
import { Ring } from "./ring.ts";
import { type KeyService, ServiceMaster } from "./service.ts";

/** The file of the master key, or the service that keeps it. */
export type MasterPlace = string | KeyService;

/** Where data keys and what wraps them are; can be handed to another thread. */
export interface RingPlace {
  /** The folder of the wrapped data keys. */
  readonly folder: string;
  readonly master: MasterPlace;
}

/** The ring of a data folder, or of the folder of a helper. */
export function ringPlaceIn(folder: string, master: MasterPlace = join(folder, "keys", "master.key")): RingPlace {
  return { folder: join(folder, "keys", "data"), master };
}

const opened = new Map<string, Ring>();

/** The ring of a place, the same one for everyone in this thread. */
export function ringAt(place: RingPlace): Ring {
  const { folder, master } = place;
  const name = JSON.stringify(place);
  const known =
    opened.get(name) ??
    new Ring(folder, typeof master === "string" ? new FileMaster(master) : new ServiceMaster(master));
  opened.set(name, known);
  return known;
}

/** Makes the master key of a new installation. One that is missing where data keys are wrapped by it is not made again. */
export function prepareMaster({ folder, master: place }: RingPlace): void {
  if (typeof place !== "string") return; // the service has made its own
  const master = new FileMaster(place);
  if (master.isThere) return;
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error(
      `the master key ${place} is not there, and the data keys in ${folder} are wrapped by it. Put it back from ` +
        "where it was kept, or name its place with --master-key",
    );
  }
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  master.make();
}
