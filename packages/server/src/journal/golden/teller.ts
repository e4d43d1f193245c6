import assert from "node:assert/strict";
import {
  type AccountId,
  type AccountTerms,
  type Command,
  canonicalJson,
  decideBatch,
  emptyState,
  type Input,
  isRefusal,
  type JobId,
  type LeaseId,
  type NodeFacts,
  type OperationId,
  type PrivateNote,
  parseJob,
  plainTerms,
  type RawJob,
  type ReportWhat,
  type Settled,
  type UserId,
  unitsPerGpu,
} from "@tessera/core";
import { sha256 } from "../digest.ts";
import type { JournalRow } from "../format.ts";
import { joinLines } from "../lines.ts";
import { draftAfter, emptyJournal, headOf, sealRow } from "../row.ts";

export const ana = "usr_ana" as UserId;

/** Lives a story on the core and seals each batch of it, the same bytes for the same story and seed. */
export class Teller {
  readonly state = emptyState();
  readonly rows: JournalRow[] = [];
  now: number;
  readonly #seed: string;
  #inputs = 0;
  readonly #sequence = new Map<LeaseId, number>();

  constructor(seed: string, startAt: number) {
    this.#seed = seed;
    this.now = startAt;
  }

  /** A command that must be accepted. */
  do(command: Command, idempotency?: { readonly key: string; readonly bodyHash: string }): void {
    this.doAll([command], idempotency);
  }

  /** A command that writes private rows. */
  doWith(command: Command, privates: readonly PrivateNote[]): void {
    const op = `op_${++this.#inputs}` as OperationId;
    this.#decide([{ kind: "command", v: 1, op, actor: { user: ana }, request: `req_${op}`, command, privates }], op);
  }

  /** Commands of one batch, which must all be accepted. */
  doAll(commands: readonly Command[], idempotency?: { readonly key: string; readonly bodyHash: string }): void {
    const inputs = commands.map((command): Extract<Input, { kind: "command" }> => {
      const op = `op_${++this.#inputs}` as OperationId;
      return { kind: "command", v: 1, op, actor: { user: ana }, request: `req_${op}`, command, idempotency };
    });
    this.#decide(inputs, inputs[0]!.op);
  }

  tick(ms: number): void {
    this.now += ms;
    this.#decide([{ kind: "tick", v: 1 }], `op_${++this.#inputs}`);
  }

  account(path: string, gpusGuaranteed: number, change: Partial<AccountTerms> = {}): void {
    const id = `acc_${path.replaceAll("/", "-")}` as AccountId;
    this.do({ kind: "account.create", id, path, terms: termsOf(gpusGuaranteed, change) });
  }

  submit(id: string, account: string, raw: Partial<RawJob> & Partial<Settled> = {}): void {
    this.do(submission(id, account, raw));
  }

  /** The engine speaks about one member of the job's present attempt. */
  report(id: string, what: ReportWhat, rank = 0): void {
    this.now += 10;
    const lease = this.state.jobById.get(jobId(id))!.leases.find((each) => each.rank === rank)!.id;
    const sequence = (this.#sequence.get(lease) ?? 0) + 1;
    this.#sequence.set(lease, sequence);
    const report = { lease, sequence, bootId: "boot", at: this.now, what };
    this.#decide([{ kind: "report", v: 1, engine: "golden", report }], `op_${++this.#inputs}`);
  }

  /** Prepared and started, every member. */
  run(id: string): void {
    const ranks = this.state.jobById.get(jobId(id))!.leases.map((lease) => lease.rank);
    for (const rank of ranks)
      this.report(id, { kind: "prepared", engineId: `e-${id}`, enforcement: { time: "timer" } }, rank);
    for (const rank of ranks) this.report(id, { kind: "started" }, rank);
  }

  /** A job that was asked to leave does. */
  leave(id: string): void {
    const job = this.state.jobById.get(jobId(id));
    if (job?.state === "stopping") this.report(id, { kind: "exited", ran: true, signal: "SIGTERM" });
  }

  exit(id: string, code: number, rank = 0): void {
    this.report(id, { kind: "exited", ran: true, code }, rank);
  }

  #decide(inputs: readonly Input[], op: string): void {
    const outcome = decideBatch(this.state, inputs, this.now);
    for (const decision of outcome.decisions) assert.ok(!isRefusal(decision), canonicalJson(decision));
    if (outcome.events.length === 0) return;
    const last = this.rows.at(-1);
    const head = last === undefined ? emptyJournal : headOf(last);
    const draft = draftAfter(head, {
      at: this.now,
      op,
      epoch: this.state.epoch,
      inputs: joinLines(outcome.inputs.map(canonicalJson)),
      events: joinLines(outcome.events.map(canonicalJson)),
      salt: sha256(Buffer.from(`${this.#seed}/${this.rows.length}`)).subarray(0, 16),
    });
    this.rows.push(sealRow(draft, head));
  }
}

export function submission(id: string, account: string, raw: Partial<RawJob> & Partial<Settled> = {}): Command {
  const { after = [], deadlineAt, notBeforeAt, ...fields } = raw;
  const spec = parseJob({ name: id, run: "true", gpus: 1, ...fields }, { after, deadlineAt, notBeforeAt });
  assert.ok(!isRefusal(spec), canonicalJson(spec));
  return { kind: "job.submit", id: jobId(id), account, user: ana, spec, endedBefore: [] };
}

export function jobId(id: string): JobId {
  return `job_${id}` as JobId;
}

export function termsOf(gpusGuaranteed: number, change: Partial<AccountTerms> = {}): AccountTerms {
  return { ...plainTerms, quota: { guarantee: { "*": gpusGuaranteed * unitsPerGpu }, weight: 1 }, ...change };
}

export function nodeOf(name: string, gpus: number, change: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name,
    engine: "golden",
    place: { zone: "z1", block: "b1", rack: "r1", nvlink: name },
    gpus: Array.from({ length: gpus }, (_, i) => ({ uuid: `GPU-${name}-${i}`, model: "H100-80GB", memoryMiB: 81_559 })),
    cpusMilli: 64_000,
    memoryMiB: 512_000,
    virtual: false,
    bootId: `${name}-boot-1`,
    address: "10.0.0.1",
    ...change,
  };
}
