import { checkChain } from "../../journal/chain.ts";
import type { JournalHead } from "../../journal/format.ts";
import { emptyJournal, headOf } from "../../journal/row.ts";
import { restoreInstead, StoreDamaged, type StoreReader } from "../../store/port.ts";

/**
 * What a start checks beyond the rows that it replays: the newest events of the journal, and the structure of a store up
 * to this size. Either takes about a second. The rest is left to `tess admin verify`.
 */
const eventsChecked = 200_000;
const bytesChecked = 64 * 1024 * 1024;

type Checked = Pick<StoreReader, "head" | "rows" | "faults">;

export interface StartChecks {
  /** Goes on with a damaged store, and only says what is damaged. */
  readonly despiteDamage: boolean;
  readonly say: (text: string) => void;
}

/** Checks what a start reads. Throws StoreDamaged, or returns what is damaged where the owner goes on all the same. */
export async function checkAtStart(
  reader: Checked,
  snapshotSeq: number,
  { despiteDamage, say }: StartChecks,
): Promise<string | undefined> {
  const damage = (await structureDamage(reader)) ?? (await journalDamage(reader, snapshotSeq));
  if (damage === undefined) return undefined;
  if (!despiteDamage) throw new StoreDamaged(`${damage}. ${restoreInstead} ${otherwise}`);
  say(`--despite-damage: ${damage}`);
  return damage;
}

async function structureDamage(reader: Checked): Promise<string | undefined> {
  const [fault] = await reader.faults(bytesChecked);
  if (fault === undefined) return undefined;
  return `The store is damaged: ${fault}`;
}

async function journalDamage(reader: Checked, snapshotSeq: number): Promise<string | undefined> {
  const head = await reader.head();
  const from = await headBefore(reader, head, snapshotSeq);
  const check = await readable(() => checkChain(reader, 200, from), from);
  if (check.sound) return undefined;
  return `The journal is damaged at row ${check.seq}: ${check.fault}`;
}

const otherwise =
  "Where journal and private rows are whole, tess admin rebuild writes everything else again. To go on with the store " +
  "as it is, at your own risk, start with --despite-damage; the journal then says so.";

/** The head before the rows to check: all that are replayed, and the newest `eventsChecked` events. */
async function headBefore(reader: Checked, head: JournalHead, snapshotSeq: number): Promise<JournalHead> {
  let [low, high] = [0, Math.min(snapshotSeq, head.seq)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const [row] = await reader.rows(middle, 1);
    if (row !== undefined && row.seq === middle && row.eventsBefore < head.events - eventsChecked) low = middle;
    else high = middle - 1;
  }
  const [row] = low === 0 ? [] : await reader.rows(low, 1);
  return row === undefined ? emptyJournal : headOf(row);
}

async function readable(
  check: () => ReturnType<typeof checkChain>,
  { seq }: JournalHead,
): ReturnType<typeof checkChain> {
  try {
    return await check();
  } catch (error) {
    return { sound: false, seq: seq + 1, fault: `it or a row after it cannot be read: ${(error as Error).message}` };
  }
}
