import { isRefusal, type KeyChange } from "@tessera/core";
import type { JournalKeys } from "../../access/ring/journal-keys.ts";
import type { Ring } from "../../access/ring/ring.ts";
import type { Asker, ControlPlane } from "../control.ts";

/** A command with more would make a long row. */
const changesPerCommand = 500;

const system: Asker = { actor: { user: "system" }, request: "keys" };

/**
 * Writes into the journal which keys were made and destroyed since the last look, and by which user: the keys are files,
 * which an owner may change while no server runs. While the service of the master key is away nothing is said of that one.
 */
export async function noteKeys(
  control: Pick<ControlPlane, "state" | "ask">,
  ring: Pick<Ring, "list" | "master" | "isShredded" | "shreddedBy">,
  journalKeys: Pick<JournalKeys, "list">,
): Promise<void> {
  const changes = changesOf(control.state.trail.held, await keysNow(ring, journalKeys), ring);
  for (let from = 0; from < changes.length; from += changesPerCommand) {
    const some = changes.slice(from, from + changesPerCommand);
    const done = await control.ask({ kind: "keys.note", changes: some }, system);
    if (isRefusal(done)) throw new Error(`keys could not be noted: ${done.detail}`);
  }
}

interface KeyNow {
  readonly of: string;
  readonly by?: string | undefined;
}

async function keysNow(
  ring: Pick<Ring, "list" | "master">,
  journalKeys: Pick<JournalKeys, "list">,
): Promise<ReadonlyMap<string, KeyNow>> {
  const master = await ring.master.current().catch(() => undefined);
  return new Map<string, KeyNow>([
    ...ring.list().map(({ id, of, by }) => [id, { of, by }] as const),
    ...journalKeys.list().map(({ id, maker }) => [id, { of: "journal", by: maker }] as const),
    ...(master === undefined ? [] : [[master, { of: "master" }] as const]),
  ]);
}

function changesOf(
  held: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, KeyNow>,
  ring: Pick<Ring, "isShredded" | "shreddedBy">,
): KeyChange[] {
  const made = [...now].filter(([key]) => !held.has(key));
  const masterAway = ![...now.values()].some(({ of }) => of === "master");
  const gone = [...held].filter(([key, of]) => !now.has(key) && !(of === "master" && masterAway));
  return [
    ...made.map(([key, { of, by }]) => ({ key, of, is: "made" as const, ...(by !== undefined && { by }) })),
    ...gone.map(([key, of]) => {
      const by = ring.shreddedBy(key);
      return { key, of, is: ring.isShredded(key) ? ("shredded" as const) : ("destroyed" as const), ...(by && { by }) };
    }),
  ];
}
