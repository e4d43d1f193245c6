import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { JournalKeys } from "./access/ring/journal-keys.ts";
import { prepareMaster, ringPlaceIn } from "./access/ring/place.ts";
import { BadCall, type ServerConfig } from "./config.ts";
import { sealEmpty } from "./store/backup/unpack.ts";
import { openReader, type StoreConfig } from "./store/index.ts";
import { fileIn } from "./store/sqlite/connect.ts";
import { sealStore } from "./store/sqlite/rewrite.ts";

/** What is printed: as JSON, and in words. */
type Told = readonly [value: object, text: string];

/** `tess admin journal encrypt | decrypt`. The key is made before the store names it, and those before it go after. */
export async function sealJournal(
  { data, master, store }: Pick<ServerConfig, "data" | "master"> & { readonly store: StoreConfig },
  keysIn: string | undefined,
  on: boolean,
): Promise<Told> {
  const place = ringPlaceIn(keysIn ?? data, master);
  const keys = new JournalKeys(place);
  if (!on) {
    if (!("dir" in store)) throw new BadCall(byBackup("decrypt"));
    await sealStore(store, undefined);
    keys.keepOnly(undefined);
    return [{ encrypted: false }, "the journal is not encrypted any more; its keys are destroyed"];
  }
  if (!("dir" in store) && !(await isEmpty(store))) throw new BadCall(byBackup("encrypt"));
  prepareMaster(place);
  const key = await keys.make(userInfo().username);
  const keyed = { ...store, keys: [...(store.keys ?? []), key] };
  if ("dir" in keyed && existsSync(fileIn(keyed.dir))) await sealStore(keyed, key.id);
  else await sealEmpty(keyed, key.id, keyed);
  keys.keepOnly(key.id);
  return [
    { encrypted: true, key: key.id },
    `the journal is encrypted with the key ${key.id}: all that the store holds, and what is written from now on. Make a new ` +
      "backup: earlier ones show what they hold to anyone who has their key.",
  ];
}

async function isEmpty(store: StoreConfig): Promise<boolean> {
  const reader = await openReader(store).catch(() => undefined);
  if (reader === undefined) return true; // no tables yet
  try {
    return (await reader.head()).seq === 0;
  } finally {
    await reader.close();
  }
}

function byBackup(verb: "encrypt" | "decrypt"): string {
  return verb === "encrypt"
    ? "the database holds a journal, of which no row can be written again. Make a backup, run this for an empty database, " +
        "and restore the backup into that one"
    : "the rows of a database cannot be written again: make a backup and restore it into an embedded store, run this there, " +
        "and take a backup of that one back";
}
