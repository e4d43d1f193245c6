import type { JournalHead } from "../journal/format.ts";
import { withScratch } from "../store/backup/scratch.ts";
import { fillEmpty, type OpenBackup, unpack } from "../store/backup/unpack.ts";
import type { StoreConfig } from "../store/config.ts";

/** Fills an empty store with what a backup holds, without what a restore does besides. */
export function fillFromBackup(open: OpenBackup, data: string, into: StoreConfig): Promise<JournalHead> {
  return withScratch(data, async (scratch) => {
    const { store } = await unpack(open, scratch);
    return fillEmpty(into, store).finally(() => store.close());
  });
}
