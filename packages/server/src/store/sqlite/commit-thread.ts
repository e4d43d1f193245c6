import { parentPort, workerData } from "node:worker_threads";
import { headOf, sealRow } from "../../journal/row.ts";
import { CommitOutage } from "../port.ts";
import type { CommitPlace, CommitResult, CommitWork } from "./committer.ts";
import { openUnsynced, openWritable } from "./connect.ts";
import { Transactions } from "./transact.ts";

/** The thread that seals and commits: the embedded store is synchronous, and each of its commits waits for the disk. */
const port = parentPort!;
const { dir, file, unsynced } = workerData as CommitPlace;
const db = unsynced ? openUnsynced(file) : openWritable(file);
const transactions = new Transactions(db, dir);

port.on("message", async (work: CommitWork | "close") => {
  if (work === "close") {
    db.close();
    port.close();
    return;
  }
  port.postMessage(await resultOf(work));
});

async function resultOf({ what, row: draft, previous, fields, privates }: CommitWork): Promise<CommitResult> {
  const row = sealRow(draft, previous);
  try {
    await transactions.run(what, (inserts) => {
      inserts.row(row);
      inserts.projected(fields);
      inserts.privates(privates);
    });
    return { head: headOf(row) };
  } catch (error) {
    if (!(error instanceof CommitOutage)) throw error;
    return { message: error.message, known: error.known };
  }
}
