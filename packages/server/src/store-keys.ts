import { RemoteCalls } from "@tessera/engine/remote";
import { JournalKeys } from "./access/ring/journal-keys.ts";
import { type MasterPlace, ringPlaceIn } from "./access/ring/place.ts";
import type { StoreConfig } from "./store/config.ts";
import type { StoreKey } from "./store/seal/keys.ts";

interface Keyless {
  readonly data: string;
  readonly store: StoreConfig;
  readonly master?: MasterPlace;
  /** The socket of the helper that holds the keys. */
  readonly helper?: string;
}

/** The place of a store with the keys that open it where it is sealed; `keysIn` is the folder that holds `keys`. */
export async function withStoreKeys<Config extends Keyless>(config: Config, keysIn = config.data): Promise<Config> {
  const { store, helper, master } = config;
  const keys =
    helper === undefined
      ? await new JournalKeys(ringPlaceIn(keysIn, master)).open()
      : await new RemoteCalls(helper).ask<StoreKey[]>("journalKeys");
  return keys.length === 0 ? config : { ...config, store: { ...store, keys } };
}
