import { ancestorsOf, tenantOf } from "../paths.ts";
import type { Projected } from "../port.ts";
import { asStored } from "../stored.ts";
import { spanOf } from "../usage-span.ts";

type Value = string | number | null;

/** All values of a table's rows, one after the other: to hand over lists of these costs a third of what objects do. */
export interface TableValues {
  readonly ended_job: readonly Value[];
  readonly ended_job_under: readonly Value[];
  readonly usage: readonly Value[];
  readonly device: readonly Value[];
  readonly audit: readonly Value[];
  readonly audit_under: readonly Value[];
  readonly book: readonly Value[];
}

/** The rows of a batch as the tables hold them. */
export function valuesOf(projected: Projected): TableValues {
  const { jobs, usage, devices, audit, books } = asStored(projected);
  const [ended_job, ended_job_under, used, device, audited, audit_under, book]: Value[][] = [
    [],
    [],
    [],
    [],
    [],
    [],
    [],
  ];
  for (const job of jobs) {
    ended_job!.push(job.id, job.account, job.user, job.name, job.arrayId);
    ended_job!.push(job.submittedAt, job.endedAt, job.outcome, job.exitCode, job.doc);
    for (const above of ancestorsOf(job.account)) ended_job_under!.push(above, job.submittedAt, job.id, job.outcome);
  }
  for (const use of usage) {
    used!.push(use.lease, use.job, use.account, tenantOf(use.account), use.user, use.node, use.gpu, use.model);
    used!.push(use.units, use.state, use.class, use.fromAt, use.toAt, spanOf(use.fromAt, use.toAt));
  }
  for (const { gpu, node, model, at, seq, capacityUnits, freeUnits, mode } of devices)
    device!.push(gpu, node, model, at, seq, capacityUnits, freeUnits, mode);
  for (const entry of audit) {
    audited!.push(entry.seq, entry.index, entry.at, entry.actor, entry.token, entry.request);
    audited!.push(entry.action, entry.target, entry.account, entry.outcome, entry.detail);
    for (const above of ancestorsOf(entry.account)) audit_under!.push(above, entry.seq, entry.index, entry.at);
  }
  for (const { seq, index, kind, key, tenant, fromAt, toAt, doc } of books)
    book!.push(seq, index, kind, key, tenant, fromAt, toAt, doc);
  return {
    ended_job: ended_job!,
    ended_job_under: ended_job_under!,
    usage: used!,
    device: device!,
    audit: audited!,
    audit_under: audit_under!,
    book: book!,
  };
}
