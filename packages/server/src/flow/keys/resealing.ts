import type { ContentStore } from "@tessera/content";
import { tenantOf } from "@tessera/core";
import type { JournalKeys } from "../../access/ring/journal-keys.ts";
import type { KeptKey, Ring } from "../../access/ring/ring.ts";
import type { Vault } from "../../access/vault.ts";
import type { ControlPlane } from "../control.ts";
import { crashPoint } from "../crash-point.ts";
import { noteKeys } from "./key-notes.ts";
import { resealLogs } from "./logs.ts";
import { keysInRows, resealRows } from "./secret-rows.ts";

export interface ResealingParts {
  readonly control: Pick<ControlPlane, "reader" | "state" | "ask">;
  readonly ring: Ring;
  readonly journalKeys: Pick<JournalKeys, "list" | "rewrap" | "wrappedBy">;
  readonly vault: Vault;
  readonly content: ContentStore;
  /** Folders of logs, one folder for each lease in them. */
  readonly logFolders: () => readonly string[];
  readonly say: (text: string) => void;
  /** How long after a rotation members may still be starting that were given the keys before it. */
  readonly graceMs?: number;
}

const everyMs = 5_000;
const usualGraceMs = 30_000;

/**
 * After a rotation, has the newest keys seal what older ones sealed, beside everything else, and destroys an older key when
 * nothing needs it. Everything it does can be cut off and done again.
 */
export class Resealing {
  readonly #parts: ResealingParts;
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  /** Content of tenants that may still be plain, from before it was sealed. */
  #first = true;

  constructor(parts: ResealingParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#pass ??= this.look()
        .catch((error) => this.#parts.say(`sealing with new data keys is tried again: ${(error as Error).message}`))
        .finally(() => {
          this.#pass = undefined;
        });
    }, everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pass;
  }

  /** One pass over everything that an older key may have sealed. */
  async look(): Promise<void> {
    const { control, ring, journalKeys, vault, content, logFolders, say, graceMs = usualGraceMs } = this.#parts;
    await noteKeys(control, ring, journalKeys);
    const turned = ownersWithOldKeys(ring).filter(({ newest }) => Date.now() - newest.madeAt >= graceMs);
    if (turned.length === 0 && !this.#first) return;
    this.#first = false;
    const rows = await resealRows(control, vault, ring);
    let files = 0;
    for (const tenant of await content.tenants()) {
      files += await content.of(tenant).reseal();
      crashPoint("resealing");
    }
    const logs = await resealLogs(logFolders(), ring);
    crashPoint("resealing");
    const journal = await journalKeys.rewrap();
    crashPoint("resealing");
    if (rows + files + logs + journal > 0)
      say(`sealed with new data keys: ${rows} secrets, ${files} files, ${logs} logs, ${journal} journal keys`);
    if (files + logs > 0) return; // looked at once more before anything is destroyed
    const old = turned.flatMap(({ older }) => older.map(({ id }) => id));
    const needed = new Set([...(await keysInRows(control.reader, old)), ...journalKeys.wrappedBy()]);
    for (const { owner, newest, older } of turned) {
      if (this.#mayStillSeal(owner, newest.madeAt + graceMs)) continue;
      for (const key of older.filter(({ id }) => !needed.has(id))) {
        crashPoint("resealing");
        ring.destroy(key.id);
        say(`the data key ${key.id} (version ${key.version} of ${owner}) is destroyed: nothing needs it any more`);
      }
    }
  }

  /** A member that was placed before the rotation seals its log and what it leaves with the key that it was given. */
  #mayStillSeal(owner: string, before: number): boolean {
    const { state } = this.#parts.control;
    return [...state.jobs.values()].some(
      (job) => tenantOf(state, job.account).id === owner && job.leases.some(({ placedAt }) => placedAt <= before),
    );
  }
}

function ownersWithOldKeys(ring: Ring): { owner: string; newest: KeptKey; older: readonly KeptKey[] }[] {
  const owners = [...new Set(ring.list().map(({ of }) => of))];
  return owners.flatMap((owner) => {
    const [newest, ...older] = ring.of(owner);
    return newest === undefined || older.length === 0 ? [] : [{ owner, newest, older }];
  });
}
