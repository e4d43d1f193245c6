import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { JournalHead, JournalRow } from "../../journal/format.ts";
import { headOf, sealRow } from "../../journal/row.ts";
import { CommitOutage } from "../port.ts";
import { Turns } from "../turns.ts";
import type { CommitPlace, CommitResult, CommitWork } from "./committer.ts";
import { openUnsynced, openWritable } from "./connect.ts";
import { sealingIn } from "./sealed.ts";
import { Transactions } from "./transact.ts";

/** The thread that seals and commits: the embedded store is synchronous, and each of its commits waits for the disk. */
const port = parentPort!;
const { dir, file, unsynced, keys } = workerData as CommitPlace;
const db = unsynced ? openUnsynced(file) : openWritable(file);
const transactions = new Transactions(db, dir, sealingIn(db, keys, dir));
const turns = new Turns();
/** The head of the journal after the last batch; undefined when that was not kept. */
let last: JournalHead | undefined;
/** The last batch that was not kept found no room. */
let wasFull = false;

port.on("message", (work: CommitWork | "close") => turns.take(() => act(work)));

async function act(work: CommitWork | "close"): Promise<void> {
  if (work === "close") {
    db.close();
    port.close();
    return;
  }
  const works = [work];
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
    works.push(more.message as CommitWork); // no "close" comes while batches are on their way
  }
  port.postMessage(await resultOf(works));
}

/** Makes the batches durable, all of them or none. */
async function resultOf(works: readonly CommitWork[]): Promise<CommitResult> {
  const count = works.length;
  const seqs = works.map(({ row }) => row.seq);
  const what = count === 1 ? `batch ${seqs[0]}` : `batches ${seqs[0]} to ${seqs.at(-1)}`;
  let head = works[0]!.previous ?? last;
  last = undefined;
  const full = wasFull;
  if (head === undefined)
    return { count, message: `${what} was not written: the one before failed`, known: true, full };
  const rows: JournalRow[] = [];
  for (const { row } of works) {
    rows.push(sealRow(row, head));
    head = headOf(rows.at(-1)!);
  }
  try {
    await transactions.run(what, (inserts) => {
      for (const [i, { fields, privates }] of works.entries()) inserts.batch(rows[i]!, fields, privates);
    });
    last = head;
    wasFull = false;
    return { count, head };
  } catch (error) {
    if (!(error instanceof CommitOutage)) throw error;
    wasFull = error.full;
    return { count, message: error.message, known: error.known, full: error.full };
  }
}
