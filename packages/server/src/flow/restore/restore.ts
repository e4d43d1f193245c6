import type { ReadonlyState } from "@tessera/core";
import { withScratch } from "../../store/backup/scratch.ts";
import { fillEmpty, type OpenBackup, unpack } from "../../store/backup/unpack.ts";
import type { StoreConfig } from "../../store/config.ts";
import type { FillableStore } from "../../store/contents.ts";
import { StoreDamaged } from "../../store/port.ts";
import { projections, verify } from "../project/verify.ts";
import { recover } from "../write/recover.ts";
import { endCredentials } from "./end-credentials.ts";
import { endedAll, endedSince } from "./since.ts";

export interface RestoreOptions extends OpenBackup {
  readonly into: StoreConfig;
  /** A folder that no one else can read, such as the data folder; the contents are unpacked in it. */
  readonly scratchIn: string;
  /** The store that went on after the backup, where it can still be read: it tells what was revoked since. */
  readonly since?: StoreConfig;
  /** Keeps keys and the owner's token: it comes before the store is filled, since they cannot be had again. */
  readonly keep: (keyFiles: Readonly<Record<string, string>>, ownerToken: string) => void;
}

export interface Restored {
  readonly epoch: number;
  /** The last row of the backup, and when it was made; undefined for a plain one. */
  readonly backupSeq: number;
  readonly madeAt: number | undefined;
  readonly tokensEnded: number;
  readonly passwordsEnded: number;
  readonly secrets: number;
  readonly state: ReadonlyState;
}

/**
 * Fills an empty store from a backup. Everything is checked and changed in a copy first: the credentials that must not
 * come back end there, in an epoch of their own, and only then all of it goes into the store, in one transaction. So
 * there is no moment in which a server could start with what was revoked.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  return withScratch(options.scratchIn, async (scratch) => {
    const { store, preface, rebuild } = await unpack(options, scratch);
    try {
      if (rebuild) await store.replaceProjections(projections(store));
      await mustBeSound(store, options.file);
      const { seq } = await store.head();
      const { state } = await recover(store, () => {});
      const ended =
        options.since === undefined ? await endedAll(state, store) : await endedSince(options.since, state, store);
      const made = preface === undefined ? "a plain backup" : `a backup of ${new Date(preface.at).toISOString()}`;
      const reason = `restored from ${made}, which ends at row ${seq}`;
      const { ownerToken, ...done } = await endCredentials(store, ended, reason);
      await fillEmpty(options.into, store, () => options.keep(preface?.keyFiles ?? {}, ownerToken));
      return {
        ...done,
        backupSeq: seq,
        madeAt: preface?.at,
        passwordsEnded: ended.passwords.length,
        secrets: (await store.privates("secret")).size,
      };
    } finally {
      await store.close();
    }
  });
}

async function mustBeSound(store: FillableStore, file: string): Promise<void> {
  const { sound, badSeq, fault } = await verify(store);
  if (sound) return;
  const place = badSeq === undefined ? "" : ` at row ${badSeq}`;
  throw new StoreDamaged(`The backup ${file} is damaged${place}: ${fault}. Nothing was restored; take another backup.`);
}
