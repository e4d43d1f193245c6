import type { JournalPlace } from "../journal/format.ts";
import { placeAfter } from "../journal/row.ts";
import { openStore, type StoreConfig } from "../store/index.ts";
import { auditOf, batchAfter, jobOf } from "./batches.ts";

/**
 * A writer to be killed: appends batches as fast as it can and prints the sequence number of each after its commit was
 * acknowledged. Each batch leaves a job, an audit record and a private row, so that a torn commit would show.
 * Run with the store's configuration as JSON.
 */
const store = await openStore(JSON.parse(process.argv[2]!) as StoreConfig);
for (let head: JournalPlace = await store.head(); ; ) {
  const seq = head.seq + 1;
  const batch = batchAfter(head, {
    events: Array.from({ length: 20 }, (_, i) => `{"kind":"job-held","n":${i}}`),
    projected: {
      jobs: [jobOf({ id: `job_${seq}`, submittedAt: seq })],
      audit: [auditOf({ seq })],
    },
    privates: [{ kind: "person", key: `p${seq}`, value: Buffer.from(String(seq)) }],
  });
  await store.append(batch);
  head = placeAfter(batch.row);
  process.stdout.write(`${seq}\n`);
}
