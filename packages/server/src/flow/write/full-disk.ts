import { setTimeout as sleep } from "node:timers/promises";
import { CommitOutage, type Store } from "../../store/port.ts";

/** Between two attempts to write on a full disk. */
const againMs = 1_000;
/** Large enough to need room of its own. */
const probeBytes = 16 * 1024;

export interface FullDisk {
  readonly store: Store;
  readonly say: (text: string) => void;
  /** The server is to stop: there is nothing to wait for. */
  readonly isClosing: () => boolean;
}

/** Whether a failed commit can be waited out: there was no room for it. */
export function isFull(error: unknown): error is CommitOutage {
  return error instanceof CommitOutage && error.full;
}

/**
 * Resolves when the store takes writes again, in the reserve or in room that was freed: true; or when the server is to
 * stop: false. A write that succeeds also
 * settles what became of a commit whose result was unknown: its place in the log is written over. Throws any other error.
 */
export async function waitForRoom({ store, say, isClosing }: FullDisk): Promise<boolean> {
  for (let attempt = 0; ; attempt++) {
    try {
      await store.reopen();
      await probe(store);
      if (attempt > 0) say("there is room on the disk again: writing goes on");
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      if (await store.giveReserve()) {
        say("the disk is full: cancelling and metering go on in the reserve; free some space");
        attempt = -1;
        continue;
      }
      if (attempt === 0) say("the disk is full: nothing can be written until there is room; reading goes on");
    }
    if (isClosing()) return false;
    await sleep(againMs);
  }
}

async function probe(store: Store): Promise<void> {
  const row = { kind: "probe", key: "room" };
  await store.writePrivates([{ ...row, value: Buffer.alloc(probeBytes, "probe") }]);
  await store.writePrivates([{ ...row, value: null }]);
}
