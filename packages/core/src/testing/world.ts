import { decideBatch } from "../decide/batch.ts";
import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal } from "../journal/refusal.ts";
import type { ReportWhat } from "../journal/report.ts";
import { type AccountTerms, plainTerms, type Quota } from "../model/account.ts";
import type { AccountId, JobId, LeaseId, OperationId, UserId } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { must } from "../model/must.ts";
import type { NodeFacts } from "../model/node.ts";
import { unitsPerGpu } from "../model/units.ts";
import { SchedulerMemory } from "../schedule/memory.ts";
import { emptyState } from "../state/empty.ts";
import type { State } from "../state/state.ts";
import { parseJob, type RawJob, type Settled } from "../submit/parse.ts";

export const ana = "usr_ana" as UserId;

/** A small control plane for tests: commands in, events out, time advanced by hand. */
export class World {
  readonly state: State;
  readonly memory = new SchedulerMemory();
  readonly events: Event[] = [];
  now = 1_000_000;
  #operation = 0;
  readonly #sequence = new Map<LeaseId, number>();

  constructor(state: State = emptyState()) {
    this.state = state;
  }

  do(command: Command, idempotency?: { key: string; bodyHash: string }): Decision {
    const op = `op_${++this.#operation}` as OperationId;
    const input = { kind: "command", v: 1, op, actor: { user: ana }, request: op, command, idempotency } as const;
    const { decisions, events } = decideBatch(this.state, [input], this.now, this);
    this.events.push(...events);
    return decisions[0]!;
  }

  /** Like `do`, but throws if the command is refused; returns its events. */
  must(command: Command): Event[] {
    const before = this.events.length;
    const decision = this.do(command);
    if (isRefusal(decision)) throw new Error(`refused: ${JSON.stringify(decision)}`);
    return this.events.slice(before);
  }

  tick(ms: number): Event[] {
    this.now += ms;
    const { events } = decideBatch(this.state, [{ kind: "tick", v: 1 }], this.now, this);
    this.events.push(...events);
    return [...events];
  }

  nodes(...nodes: [name: string, gpus: string][]): this {
    this.must({ kind: "node.register", nodes: nodes.map(([name, gpus]) => nodeOf(name, gpus)) });
    return this;
  }

  account(path: string, terms: Partial<AccountTerms> & { guarantee?: number; max?: number } = {}): this {
    const { guarantee, max, ...rest } = terms;
    const quota: Quota = {
      guarantee: { "*": (guarantee ?? 0) * unitsPerGpu },
      max: max === undefined ? undefined : { "*": max * unitsPerGpu },
      weight: 1,
    };
    const id = `acc_${path.replaceAll("/", "-")}` as AccountId;
    this.must({ kind: "account.create", id, path, terms: { ...plainTerms, quota, ...rest } });
    return this;
  }

  submit(id: string, account: string, raw: Partial<RawJob> & Partial<Settled> = {}): Decision {
    const { after, deadlineAt, notBeforeAt, ...fields } = raw;
    const spec = parseJob({ run: "true", gpus: 1, ...fields }, { after: after ?? [], deadlineAt, notBeforeAt });
    if (isRefusal(spec)) return spec;
    return this.do({ kind: "job.submit", id: jobId(id), account, user: ana, spec: spec as JobSpec, endedBefore: [] });
  }

  /** A live job. */
  job(id: string): Job {
    return must(this.state.jobById.get(jobId(id)), `${id} is no live job`);
  }

  /** An engine's report about member `rank` of the job's present attempt. */
  report(id: string, what: ReportWhat, rank = 0, at = this.now): Event[] {
    const lease = this.job(id).leases.find((each) => each.rank === rank);
    return this.reportOn(must(lease, `${id} has no member ${rank}`).id, what, undefined, at);
  }

  reportOn(lease: LeaseId, what: ReportWhat, sequence = (this.#sequence.get(lease) ?? 0) + 1, at = this.now): Event[] {
    this.#sequence.set(lease, sequence);
    const report = { lease, sequence, bootId: "boot", at, what };
    const { events } = decideBatch(this.state, [{ kind: "report", v: 1, engine: "test", report }], this.now, this);
    this.events.push(...events);
    return [...events];
  }

  /** Reports every member prepared, then started. */
  run(id: string): this {
    const members = this.job(id).leases.map((lease) => lease.rank);
    for (const rank of members) this.report(id, { kind: "prepared", engineId: "e", enforcement: {} }, rank);
    for (const rank of members) this.report(id, { kind: "started" }, rank);
    return this;
  }

  exit(id: string, code: number, rank = 0): Event[] {
    return this.report(id, { kind: "exited", ran: true, code }, rank);
  }

  stateOf(id: string): string {
    return this.state.jobById.get(jobId(id))?.state ?? "ended";
  }

  outcomeOf(id: string): string | undefined {
    const ended = this.events.findLast((event) => event.kind === "job-ended" && event.job === this.noOf(id));
    return ended?.kind === "job-ended" ? ended.outcome : undefined;
  }

  noOf(id: string): number | undefined {
    for (const event of this.events) if (event.kind === "job-submitted" && event.id === jobId(id)) return event.job;
    return undefined;
  }
}

export function jobId(id: string): JobId {
  return `job_${id}` as JobId;
}

/** A node's facts from `n0` or `engine/n0`, and text such as `H100:8`. */
export function nodeOf(key: string, gpus: string): NodeFacts {
  const [name, engine = "test"] = key.split("/").reverse() as [string, string?];
  const [model, count] = gpus.split(":") as [string, string];
  return {
    name,
    engine,
    place: { zone: "z", block: "b", rack: "r", nvlink: name },
    gpus: Array.from({ length: Number(count) }, (_, i) => ({ uuid: `GPU-${key}-${i}`, model, memoryMiB: 81_559 })),
    cpusMilli: 64_000,
    memoryMiB: 512_000,
    virtual: true,
    bootId: "boot",
    address: "127.0.0.1",
  };
}
