import {
  type Account,
  type AccountNo,
  accountOf,
  type Event,
  type Instant,
  type Job,
  type KeptOutput,
  memoryText,
  outputsUsual,
  parseLeaseId,
  pathUp,
  type ReadonlyState,
  type Report,
  rootAccount,
  tenantOf,
} from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";
import type { JobFiles } from "../bind/drive.ts";
import type { CommitListener } from "../commits.ts";
import type { ControlPlane } from "../control.ts";
import { standingAccount } from "../find/find-job.ts";
import type { OutputsKept } from "../project/book-rows.ts";
import { mountOrders } from "./mounts.ts";
import { keptUntil } from "./until.ts";

const mebibyte = 2 ** 20;

/** What one ended job keeps. */
interface Kept extends OutputsKept {
  readonly endedAt: Instant;
  readonly bytes: number;
  /** Its account and those above it, which all keep it. */
  readonly accounts: readonly AccountNo[];
}

/**
 * What jobs keep, by account: how much room is left, and which trees of content must stay. Made from the rows of ended
 * jobs at the start, then from events. Counted by what each job kept: the same file in two jobs counts twice.
 */
export class KeptOutputs implements CommitListener, JobFiles {
  readonly #control: ControlPlane;
  readonly #state: ReadonlyState;
  readonly #kept = new Map<string, Kept>();
  readonly #used = new Map<AccountNo, number>();
  /** Outputs that were let in and whose job has not ended yet, by job. */
  readonly #held = new Map<string, { bytes: number; readonly accounts: readonly AccountNo[] }>();

  constructor(control: ControlPlane) {
    this.#control = control;
    this.#state = control.state;
  }

  /** Reads what is still kept. Must be called after `follow`, so that no job falls in between. */
  async load(now: Instant): Promise<void> {
    let longestMs: number = outputsUsual.keptMs;
    for (const account of this.#state.accounts)
      longestMs = Math.max(longestMs, account?.terms.limits.outputsKeptMs ?? 0);
    for (const { doc, fromAt } of await this.#control.reader.books({ kind: "output", fromAt: now - longestMs }))
      this.#add(JSON.parse(doc) as OutputsKept, fromAt);
    this.expire(now);
  }

  before(event: Event, state: ReadonlyState): void {
    if (event.kind !== "job-ended" && event.kind !== "job-requeued") return;
    const job = state.jobs.get(event.job)!;
    this.#letGo(job.id);
    if (event.kind === "job-requeued" || job.outputs === undefined) return;
    const account = accountOf(state, job.account).path;
    this.#add({ account, job: job.id, outputs: job.outputs }, event.at);
  }

  /** Forgets what is kept long enough. Its content goes when content is swept. */
  expire(now: Instant): void {
    for (const [job, kept] of this.#kept) {
      if (now < keptUntil(this.#state, kept.account, kept.endedAt)) continue;
      this.#kept.delete(job);
      this.#count(kept.accounts, -kept.bytes);
    }
  }

  /** The trees of a tenant that must stay, by its outside id. */
  *treesOf(tenant: string): Iterable<string> {
    for (const { accounts, outputs } of this.#kept.values()) {
      if (this.#tenantOf(accounts)?.id !== tenant) continue;
      for (const { tree } of outputs) if (tree !== undefined) yield tree;
    }
  }

  async orderFor(job: Job): Promise<Pick<LeaseOrder, "outputs" | "mounts">> {
    const { spec, account } = job;
    const bytesMax = Math.max(0, this.#roomFor(account).bytes);
    const outputs = { bytesMax, ...(spec.outputs !== undefined && { declared: spec.outputs }) };
    return spec.mounts === undefined ? { outputs } : { outputs, mounts: await mountOrders(this.#control, job) };
  }

  /** The report as it may be written: an output for which there is no room any more is left out. */
  admit(report: Report): Report {
    const { what } = report;
    if (what.kind !== "exited" || what.outputs === undefined) return report;
    const job = this.#state.jobById.get(parseLeaseId(report.lease)?.job as never);
    if (job === undefined) return report;
    return { ...report, what: { ...what, outputs: what.outputs.map((output) => this.#admitOne(job, output)) } };
  }

  #admitOne(job: Job, output: KeptOutput): KeptOutput {
    const room = this.#roomFor(job.account);
    const { tree: _, files, bytes, left, ...rest } = output;
    if (bytes <= room.bytes) {
      const accounts = this.#accountsOf(job.account);
      const held = this.#held.get(job.id) ?? { bytes: 0, accounts };
      held.bytes += bytes;
      this.#held.set(job.id, held);
      this.#count(accounts, bytes);
      return output;
    }
    const all = { files: files + (left?.files ?? 0), bytes: bytes + (left?.bytes ?? 0) };
    return { ...rest, files: 0, bytes: 0, left: { ...all, why: room.why } };
  }

  #letGo(job: string): void {
    const held = this.#held.get(job);
    if (held === undefined) return;
    this.#held.delete(job);
    this.#count(held.accounts, -held.bytes);
  }

  #add(kept: OutputsKept, endedAt: Instant): void {
    if (this.#kept.has(kept.job)) return; // it ended while the rows were read
    const bytes = kept.outputs.reduce((sum, output) => sum + output.bytes, 0);
    const accounts = this.#accountsOf(standingAccount(this.#state, kept.account, endedAt).no);
    this.#kept.set(kept.job, { ...kept, endedAt, bytes, accounts });
    this.#count(accounts, bytes);
  }

  #count(accounts: readonly AccountNo[], bytes: number): void {
    for (const no of accounts) this.#used.set(no, (this.#used.get(no) ?? 0) + bytes);
  }

  #accountsOf(no: AccountNo): AccountNo[] {
    return [...pathUp(this.#state, no)].map((account) => account.no);
  }

  #tenantOf(accounts: readonly AccountNo[]): Account | undefined {
    const below = accounts.filter((no) => no !== rootAccount).at(-1);
    return below === undefined ? undefined : this.#state.accounts[below];
  }

  /** The least room in the account and those above it. A tenant for which nothing is said has the usual limit. */
  #roomFor(no: AccountNo): { readonly bytes: number; readonly why: string } {
    const tenant = tenantOf(this.#state, no).no;
    let room = { bytes: Number.POSITIVE_INFINITY, why: "" };
    for (const { no: each, path, terms } of pathUp(this.#state, no)) {
      const mib = terms.limits.outputsMiBMax ?? (each === tenant ? outputsUsual.mibMax : undefined);
      if (mib === undefined) continue;
      const used = this.#used.get(each) ?? 0;
      const bytes = mib * mebibyte - used;
      const kept = memoryText(Math.floor(used / mebibyte));
      if (bytes < room.bytes)
        room = { bytes, why: `the outputs of ${path} may hold ${memoryText(mib)}, and ${kept} are kept already` };
    }
    return room;
  }
}
