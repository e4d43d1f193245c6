import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "../journal/canonical.ts";
import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Input } from "../journal/input.ts";
import { isRefusal } from "../journal/refusal.ts";
import type { ReportWhat } from "../journal/report.ts";
import { plainTerms } from "../model/account.ts";
import {
  type AccountId,
  type JobId,
  type JobNo,
  type LeaseId,
  leaseIdOf,
  noAccount,
  type OperationId,
} from "../model/ids.ts";
import type { Job, JobOutcome, JobSpec, RetryCause } from "../model/job.ts";
import type { LeaseState } from "../model/lease.ts";
import { plainPolicy } from "../model/policy.ts";
import { minute, second, unitsPerGpu } from "../model/units.ts";
import { pathUp } from "../quota/accounts.ts";
import { SchedulerMemory } from "../schedule/memory.ts";
import { apply } from "../state/apply/apply.ts";
import { arraySize } from "../state/apply/new-job.ts";
import { emptyState } from "../state/empty.ts";
import { jobOf } from "../state/live-jobs.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import type { State } from "../state/state.ts";
import { parseJob } from "../submit/parse.ts";
import { ana, nodeOf } from "../testing/world.ts";
import { decideBatch } from "./batch.ts";

/*
 * Random days of small fleets. A day is a list of batches; a batch is a list of moves, each of which becomes inputs
 * that are chosen while looking at the state as it is then. Engines here may say anything at any time, also twice.
 */

const paths = ["org", "org/a", "org/b", "solo"] as const;
const fleet: readonly [name: string, gpus: string][] = [
  ["test/n0", "H100:2"],
  ["test/n1", "H100:3"],
  ["test/n2", "A100:2"],
  ["west/n0", "H100:2"],
];
const engines = ["test", "west"] as const;

const which = fc.nat(1_000);
const aWhile = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 5 * second }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 * minute }) },
);

const submit = fc.record({
  kind: fc.constant("submit" as const),
  account: which,
  gpus: fc.constantFrom<(number | string | string[])[]>(0, 1, 1, 1, 2, 2, 3, "A100:1", ["A100:2", "H100:1"]),
  members: fc.constantFrom(1, 1, 1, 2, 3),
  apart: fc.boolean(),
  cpus: fc.constantFrom(0, 0, 40),
  priority: fc.integer({ min: -1, max: 1 }),
  preemptible: fc.constantFrom(true, true, false),
  retry: fc.nat(2),
  checkpoint: fc.boolean(),
  when: fc.subarray<RetryCause>(["failed", "node_lost", "preempted"]),
  array: fc.option(fc.constantFrom("1-2", "1-3%1", "2-6:2%2"), { freq: 4, nil: undefined }),
  after: fc.option(fc.record({ job: which, when: fc.constantFrom("succeeded" as const, "ended" as const) }), {
    freq: 3,
    nil: undefined,
  }),
  notBeforeMs: fc.option(fc.integer({ min: 0, max: minute }), { freq: 5, nil: undefined }),
  maxTime: fc.option(fc.constantFrom("30s", "2m", "10m"), { nil: undefined }),
  deadlineMs: fc.option(fc.integer({ min: 1, max: 2 * minute }), { freq: 5, nil: undefined }),
});

const what: fc.Arbitrary<ReportWhat> = fc.oneof(
  fc.constant({ kind: "prepared" as const, engineId: "e", enforcement: {} }),
  fc.constant({ kind: "scrubbed" as const, how: "test" }),
  fc.constant({ kind: "scrub-failed" as const, reason: "stuck" }),
  fc.constant({ kind: "started" as const }),
  fc.constant({ kind: "stopping" as const, cause: "time-limit" as const }),
  fc.record({
    kind: fc.constant("exited" as const),
    ran: fc.constant(true),
    code: fc.constantFrom(0, 0, 1, 137),
    done: fc.constantFrom(false, false, true),
  }),
  fc.constant({ kind: "exited" as const, ran: true, signal: "SIGKILL", limit: "time" }),
  fc.constant({ kind: "exited" as const, ran: false }),
  fc.constant({ kind: "refused" as const, reason: "no" }),
  fc.constant({ kind: "lost" as const, reason: "gone" }),
);

const move = fc.oneof(
  { weight: 5, arbitrary: submit },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("advance" as const), job: which }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("finish" as const), job: which, code: fc.constantFrom(0, 0, 1) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("report" as const),
      lease: which,
      step: fc.constantFrom(1, 1, 1, 0, -1),
      lateMs: fc.integer({ min: -second, max: 10 * second }),
      what,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "job.cancel" as const,
        "job.cancel" as const,
        "job.hold" as const,
        "job.release" as const,
        "job.suspend" as const,
        "job.requeue" as const,
      ),
      job: which,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("job.edit" as const),
      job: which,
      change: fc.record(
        {
          priority: fc.integer({ min: -1, max: 1 }),
          maxTimeMs: fc.constantFrom(30 * second, 5 * minute),
          cpusMilli: fc.constantFrom(0, 40_000),
          preemptible: fc.boolean(),
          gpus: fc.nat(3).map((count) => [{ model: "*", count, unitsEach: unitsPerGpu }]),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("node" as const),
      node: which,
      to: fc.constantFrom("node.cordon" as const, "node.drain" as const, "node.up" as const, "node.down" as const),
      untilMs: fc.option(fc.nat(minute), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("maintenance" as const),
      node: which,
      window: fc.option(fc.tuple(fc.nat(5 * minute), fc.integer({ min: 1, max: 5 * minute })), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("register" as const),
      node: which,
      as: fc.constantFrom(
        "all" as const,
        "missing" as const,
        "rebooted" as const,
        "other-gpus" as const,
        "cordoned" as const,
        "unknown" as const,
        "withheld" as const,
        "withheld" as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("engine" as const),
      engine: which,
      to: fc.constantFrom(
        "create" as const,
        "create" as const,
        "away" as const,
        "back" as const,
        "back" as const,
        "cordon" as const,
        "up" as const,
        "up" as const,
        "delete" as const,
      ),
      lostAfterMs: fc.constantFrom(0, second, 5 * minute),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("edit" as const),
      account: which,
      guarantee: fc.nat(4),
      max: fc.option(fc.integer({ min: 4, max: 7 }), { nil: undefined }),
      gpusPerUserMax: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("policy" as const),
      rebalance: fc.constantFrom("on" as const, "on" as const, "checkpointed" as const, "off" as const),
      minRuntimeMs: fc.constantFrom(0, minute),
      backfill: fc.boolean(),
      scrubMs: fc.constantFrom(undefined, second, second),
    }),
  },
);
type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never;

const batch = fc.record({ afterMs: aWhile, moves: fc.array(move, { minLength: 1, maxLength: 4 }) });
const day = fc.array(batch, { minLength: 1, maxLength: 80, size: "max" });

/** What is known of a job from the events alone, against which the next event is judged. */
interface Seen {
  readonly id: JobId;
  readonly spec: JobSpec;
  phase: "waiting" | "placed" | "ended";
  attempt: number;
  failures: number;
  cancelled: boolean;
  live: Set<LeaseId>;
}

const leaseOrder: readonly LeaseState[] = ["starting", "prepared", "running", "stopping"];

class Day {
  readonly state: State = emptyState();
  now = 1_000_000;
  readonly #memory = new SchedulerMemory();
  /** Lives the same day beside it, with a scheduler that forgets everything after each batch. */
  readonly #twin: State = emptyState();
  /** Made of the events alone. */
  readonly #replica: State = emptyState();
  readonly #jobs = new Map<JobNo, Seen>();
  readonly #ids: JobId[] = [];
  readonly #outcomes = new Map<JobId, JobOutcome>();
  readonly #arrays = new Map<JobId, { elements: JobId[]; no: JobNo }>();
  readonly #leases: LeaseId[] = [];
  readonly #leaseState = new Map<LeaseId, LeaseState | "gone">();
  readonly #sequence = new Map<LeaseId, number>();
  /** Jobs that make room for the last claimant by moving, until they claim their new seats. */
  readonly #movers = new Set<JobNo>();
  /** Whose work may be in the memory of a GPU, and the leases that were placed while scrubs were asked for. */
  readonly #residue = new Map<number, number>();
  readonly #scrubbing = new Set<LeaseId>();
  #operations = 0;
  #text = "";

  constructor() {
    this.#decide([
      this.#command({ kind: "node.register", nodes: fleet.map(([name, gpus]) => nodeOf(name, gpus)) }),
      this.#command({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", minRuntimeMs: 0, scrubMs: 1 } }),
      ...paths.map((path, i) =>
        this.#command({
          kind: "account.create",
          id: `acc_${i + 1}` as AccountId,
          path,
          terms: {
            ...plainTerms,
            overcommit: true,
            quota: {
              guarantee: { "*": [3, 2, 0, 1][i]! * unitsPerGpu },
              max: i === 2 ? { "*": 4 * unitsPerGpu, A100: unitsPerGpu } : undefined,
              weight: 1,
            },
          },
        }),
      ),
    ]);
  }

  /** One batch, then everything that must hold after it. */
  live({ afterMs, moves }: { readonly afterMs: number; readonly moves: readonly Move[] }): void {
    this.now += afterMs;
    const inputs = moves.flatMap((each) => this.#inputs(each));
    this.#decide(inputs.length === 0 ? [{ kind: "tick", v: 1 }] : inputs);
  }

  #decide(inputs: readonly Input[]): void {
    const { state } = this;
    const before = this.#text;
    const outcome = decideBatch(state, inputs, this.now, {
      memory: this.#memory,
      see: (event) => this.#judge(event),
    });
    const again = decideBatch(this.#twin, inputs, this.now);
    assert.equal(
      canonicalJson(again),
      canonicalJson(outcome),
      "[S26] a scheduler without its memory decides otherwise",
    );
    if (before !== "") {
      const restarted = decideBatch(readSnapshot(before), inputs, this.now);
      assert.equal(canonicalJson(restarted), canonicalJson(outcome), "[S26] a restart decides otherwise");
    }
    for (const [i, decision] of outcome.decisions.entries()) {
      const input = inputs[i]!;
      if (input.kind === "command" && input.command.kind === "job.cancel" && !isRefusal(decision))
        this.#noteCancelled(input.command.job);
    }
    for (const event of outcome.events) apply(this.#replica, JSON.parse(canonicalJson(event)) as Event);
    this.#text = writeSnapshot(state);
    if (outcome.events.length === 0) assert.equal(this.#text, before, "nothing was decided, and something changed");
    this.#checkState();
  }

  #command(command: Command): Input {
    const op = `op_${++this.#operations}` as OperationId;
    return { kind: "command", v: 1, op, actor: { user: ana }, request: op, command };
  }

  #report(lease: LeaseId, report: ReportWhat, sequence: number, lateMs = 0): Input {
    this.#sequence.set(lease, Math.max(sequence, this.#sequence.get(lease) ?? 0));
    const at = this.now - lateMs;
    return { kind: "report", v: 1, engine: "test", report: { lease, sequence, bootId: "boot", at, what: report } };
  }

  #next(lease: LeaseId): number {
    return (this.#sequence.get(lease) ?? 0) + 1;
  }

  #inputs(each: Move): Input[] {
    switch (each.kind) {
      case "submit":
        return this.#submit(each);
      case "advance":
        return this.#leasesOf(each.job).flatMap((lease) => {
          if (lease.state === "starting" && (lease.handover?.scrub.length ?? 0) > 0)
            return [this.#report(lease.id, { kind: "scrubbed", how: "test" }, this.#next(lease.id))];
          if (lease.state === "starting")
            return [this.#report(lease.id, { kind: "prepared", engineId: "e", enforcement: {} }, this.#next(lease.id))];
          return lease.state === "prepared" ? [this.#report(lease.id, { kind: "started" }, this.#next(lease.id))] : [];
        });
      case "finish":
        return this.#leasesOf(each.job).map((lease) => {
          const gone: ReportWhat =
            lease.state === "running"
              ? { kind: "exited", ran: true, code: each.code }
              : lease.state === "stopping" && lease.startedAt !== undefined
                ? { kind: "exited", ran: true, signal: "SIGTERM" }
                : { kind: "exited", ran: false };
          return this.#report(lease.id, gone, this.#next(lease.id));
        });
      case "report": {
        const lease = pick(this.#leases, each.lease);
        if (lease === undefined) return [];
        return [this.#report(lease, each.what, Math.max(1, this.#next(lease) - 1 + each.step), each.lateMs)];
      }
      case "job.edit": {
        const job = pick(this.#ids, each.job);
        const known = job && (this.state.jobById.get(job) ?? this.state.arrayById.get(job));
        if (known === undefined) return [];
        return [this.#command({ kind: "job.edit", job: known.id, spec: { ...known.spec, ...each.change } })];
      }
      case "job.cancel":
      case "job.hold":
      case "job.release":
      case "job.suspend":
      case "job.requeue": {
        const job = pick(this.#ids, each.job);
        return job === undefined ? [] : [this.#command({ kind: each.kind, job })];
      }
      case "node": {
        const [node] = pick(fleet, each.node)!;
        if (each.to === "node.up") return [this.#command({ kind: "node.up", node })];
        if (each.to !== "node.drain") return [this.#command({ kind: each.to, node, reason: "test" })];
        const until = each.untilMs === undefined ? undefined : this.now + each.untilMs;
        return [this.#command({ kind: "node.drain", node, reason: "test", until })];
      }
      case "maintenance": {
        const [node] = pick(fleet, each.node)!;
        if (each.window === undefined) return [this.#command({ kind: "node.maintenance", node, window: null })];
        const from = this.now + each.window[0];
        const window = { from, to: from + each.window[1], reason: "test" };
        return [this.#command({ kind: "node.maintenance", node, window })];
      }
      case "register": {
        const chosen = pick(fleet, each.node)!;
        const nodes = fleet.flatMap((node) => {
          if (node !== chosen || each.as === "all") return [nodeOf(...node)];
          if (each.as === "missing") return [];
          if (each.as === "cordoned" || each.as === "unknown")
            return [{ ...nodeOf(...node), condition: { state: each.as, reason: "test" } }];
          if (each.as === "withheld")
            return [{ ...nodeOf(...node), withheld: [nodeOf(...node).gpus[this.now % 2]!.uuid] }];
          if (each.as === "rebooted") return [{ ...nodeOf(...node), bootId: `boot-${this.now}` }];
          return [nodeOf(node[0], "H100:4")];
        });
        if (each.node % 2 === 0) return [this.#command({ kind: "node.register", nodes })];
        const { engine } = nodeOf(...chosen);
        const own = nodes.filter((facts) => facts.engine === engine);
        return [this.#command({ kind: "node.register", engine, nodes: own })];
      }
      case "engine": {
        const name = pick(engines, each.engine)!;
        const terms = { kind: "simulated", lostAfterMs: each.lostAfterMs, settings: {} } as const;
        if (each.to === "create") {
          const kind = this.state.engines.has(name) ? "engine.edit" : "engine.create";
          return [this.#command({ kind, name, terms })];
        }
        if (each.to === "away") return [this.#command({ kind: "engine.reach", name, away: "test" })];
        if (each.to === "back") return [this.#command({ kind: "engine.reach", name })];
        if (each.to === "cordon") return [this.#command({ kind: "engine.cordon", name, reason: "test" })];
        return [this.#command({ kind: each.to === "up" ? "engine.up" : "engine.delete", name })];
      }
      case "edit": {
        const path = pick(paths, each.account)!;
        const { guarantee, max, gpusPerUserMax } = each;
        const quota = {
          guarantee: { "*": guarantee * unitsPerGpu },
          max: max === undefined ? undefined : { "*": max * unitsPerGpu },
          weight: 1,
        };
        const terms = { ...plainTerms, overcommit: true, quota, limits: { gpusPerUserMax } };
        return [this.#command({ kind: "account.edit", path, terms })];
      }
      case "policy": {
        const { rebalance, minRuntimeMs, backfill, scrubMs } = each;
        const policy = { ...plainPolicy, rebalance, minRuntimeMs, backfill, scrubMs };
        return [this.#command({ kind: "policy.set", policy })];
      }
    }
  }

  #submit(each: Extract<Move, { kind: "submit" }>): Input[] {
    const { gpus, cpus, priority, preemptible, array } = each;
    const before = each.after === undefined ? undefined : pick(this.#ids, each.after.job);
    const raw = {
      run: "true",
      gpus,
      [each.apart ? "nodes" : "members"]: each.members,
      cpus,
      priority,
      preemptible,
      array,
      max_time: each.maxTime,
      ...(each.checkpoint && { checkpoint: { every: "1m" } }),
      retry: { max: each.retry, when: each.when },
    };
    const spec = parseJob(raw, {
      after: before === undefined ? [] : [{ job: before, when: each.after!.when }],
      notBeforeAt: each.notBeforeMs === undefined ? undefined : this.now + each.notBeforeMs,
      deadlineAt: each.deadlineMs === undefined ? undefined : this.now + each.deadlineMs + (each.notBeforeMs ?? 0),
    });
    assert.ok(!isRefusal(spec), canonicalJson(spec));
    const id = `job_${++this.#operations}` as JobId;
    const outcome = before === undefined ? undefined : this.#outcomeOf(before);
    const endedBefore = outcome === undefined ? [] : [{ job: before!, outcome }];
    return [
      this.#command({ kind: "job.submit", id, account: pick(paths, each.account)!, user: ana, spec, endedBefore }),
    ];
  }

  #leasesOf(job: number) {
    const live = [...this.state.jobs.values()].filter((each) => each.leases.length > 0);
    return pick(live, job)?.leases ?? [];
  }

  #noteCancelled(id: JobId): void {
    const elements = this.#arrays.get(id)?.elements ?? [id];
    for (const seen of this.#jobs.values()) if (elements.includes(seen.id)) seen.cancelled = true;
  }

  /** Of a job, or of an array once all of it has ended. */
  #outcomeOf(id: JobId): JobOutcome | undefined {
    const array = this.#arrays.get(id);
    if (array === undefined) return this.#outcomes.get(id);
    const outcomes = array.elements.map((element) => this.#outcomes.get(element));
    if (outcomes.includes(undefined)) return undefined;
    return outcomes.find((outcome) => outcome !== "succeeded") ?? "succeeded";
  }

  /** Each event, against what is known while the state is still without it. */
  #judge(event: Event): void {
    assert.ok(event.at <= this.now, "an event from the future");
    switch (event.kind) {
      case "job-submitted":
        this.#submitted(event);
        return;
      case "job-edited":
        this.#edited(event);
        return;
      case "job-placed":
        this.#placed(event);
        this.#mayStay(event);
        for (const rank of event.seats.keys()) {
          const lease = leaseIdOf(this.#seen(event.job).id, event.attempt, rank);
          if (this.state.policy.scrubMs !== undefined) this.#scrubbing.add(lease);
        }
        return;
      case "node-changed": {
        const node = this.state.fleet.node(event.node);
        const rebooted = event.facts !== undefined && event.facts.bootId !== node.facts.bootId && node.leases === 0;
        for (let i = 0; rebooted && i < node.facts.gpus.length; i++) this.#residue.delete(node.firstGpu + i);
        return;
      }
      case "lease-scrubbed":
        this.#leaseMoved(event);
        for (const gpu of this.state.leases.get(event.lease)!.handover!.scrub) this.#residue.delete(gpu);
        return;
      case "job-claimed":
        this.#claimed(event);
        return;
      case "lease-started":
        this.#leaseMoved(event);
        this.#mayHave(event.lease);
        return;
      case "lease-prepared":
      case "lease-stopping":
      case "lease-ended":
        this.#leaseMoved(event);
        return;
      case "job-requeued": {
        const seen = this.#seen(event.job);
        assert.equal(seen.phase, "placed", "[S20] requeued without having been placed");
        assert.equal(seen.live.size, 0, "[S17] requeued while members may still run");
        assert.equal(event.attempt, seen.attempt + 1, "[S20] the next attempt is the next number");
        assert.ok(!seen.cancelled, "[S22] requeued after its cancel was committed");
        if (event.cause === "failed") seen.failures++;
        assert.ok(seen.failures <= seen.spec.retry.max, "[S20] retried more often than it may");
        seen.phase = "waiting";
        seen.attempt = event.attempt;
        return;
      }
      case "job-ended": {
        const seen = this.#seen(event.job);
        assert.equal(seen.live.size, 0, "[S21] ended while members may still run");
        if (seen.cancelled) assert.equal(event.outcome, "cancelled", "[S22] a cancelled job ends as cancelled");
        seen.phase = "ended";
        this.#outcomes.set(seen.id, event.outcome);
        return;
      }
    }
  }

  #seen(job: JobNo): Seen {
    const seen = this.#jobs.get(job);
    assert.ok(seen !== undefined, `job ${job} was never submitted`);
    assert.notEqual(seen.phase, "ended", `[S21] job ${seen.id} has ended; nothing may happen to it`);
    return seen;
  }

  #submitted(event: Extract<Event, { kind: "job-submitted" }>): void {
    const { spec, id, job } = event;
    const size = arraySize(spec);
    const see = (no: JobNo, name: JobId): void => {
      const seen: Seen = {
        id: name,
        spec,
        phase: "waiting",
        attempt: 1,
        failures: 0,
        cancelled: false,
        live: new Set(),
      };
      this.#jobs.set(no, seen);
      this.#ids.push(name);
    };
    if (size === 0) {
      see(job, id);
      return;
    }
    const elements = Array.from(
      { length: size },
      (_, i) => `${id}.${spec.array!.first + i * spec.array!.step}` as JobId,
    );
    this.#ids.push(id);
    this.#arrays.set(id, { elements, no: job });
    for (const [i, element] of elements.entries()) see((job + 1 + i) as JobNo, element);
  }

  #edited({ job, spec, as }: Extract<Event, { kind: "job-edited" }>): void {
    const array = this.state.arrays.get(job);
    const numbers = array === undefined ? [job] : Array.from({ length: array.size }, (_, i) => (job + 1 + i) as JobNo);
    for (const no of numbers) {
      const seen = this.#jobs.get(no)!;
      if (seen.phase !== "waiting") continue;
      this.#jobs.delete(no);
      this.#jobs.set(as ?? no, { ...seen, spec });
    }
  }

  #placed(event: Extract<Event, { kind: "job-placed" }>): void {
    const { state } = this;
    const seen = this.#seen(event.job);
    const { spec } = seen;
    assert.equal(seen.phase, "waiting", "[S20] placed twice");
    assert.equal(event.attempt, seen.attempt, "[S20] placed as another attempt than the next");
    assert.ok(!seen.cancelled, "[S22] placed after its cancel was committed");
    assert.equal(event.seats.length, spec.members.min, "[S5] a gang is placed whole");
    if (spec.members.apart)
      assert.equal(
        new Set(event.seats.map((seat) => seat.node)).size,
        event.seats.length,
        "[S31] members share a node",
      );
    for (const { node, gpus } of event.seats) {
      assert.equal(state.fleet.node(node).mode, "up", "[S29] placed on a node that is not up");
      for (const gpu of gpus) assert.equal(state.fleet.gpuWithheld[gpu], 0, "placed on a GPU that is not offered");
    }
    const used = new Set(event.seats.map(({ node }) => state.fleet.node(node).facts.engine));
    assert.ok(used.size === 1, "[P9] placed in two engines");
    assert.ok(event.at >= (spec.notBeforeAt ?? 0), "placed before its time");
    assert.ok(event.at < (spec.deadlineAt ?? Number.POSITIVE_INFINITY), "placed when its deadline had come");
    for (const { job, when } of spec.after) {
      const outcome = this.#outcomeOf(job);
      assert.ok(outcome !== undefined, "placed before a job it comes after has ended");
      if (when === "succeeded")
        assert.equal(outcome, "succeeded", "placed although a job it comes after did not succeed");
    }
    const units = event.unitsEach * event.seats.reduce((sum, seat) => sum + seat.gpus.length, 0);
    for (const account of pathUp(state, jobOf(state, event.job).account)) {
      const max = account.terms.quota.max?.["*"] ?? Number.POSITIVE_INFINITY;
      const held = this.#held(false).get(account.no)?.units ?? 0;
      if (units > 0) assert.ok(held + units <= max, `[S7] ${account.path} beyond its max`);
    }
    seen.phase = "placed";
    for (const rank of event.seats.keys()) {
      const lease = `${seen.id}-${event.attempt}-${rank}` as LeaseId;
      assert.ok(!this.#leaseState.has(lease), "[S16] a lease is made twice");
      this.#leaseState.set(lease, "starting");
      this.#leases.push(lease);
      seen.live.add(lease);
    }
  }

  #claimed(event: Extract<Event, { kind: "job-claimed" }>): void {
    const { state } = this;
    const seen = this.#seen(event.job);
    if (this.#movers.delete(event.job)) {
      assert.equal(seen.phase, "placed", "[T9] a job is moved that does not run");
      assert.ok(seen.spec.checkpoint !== undefined && seen.spec.preemptible, "[T9] a job is moved that cannot");
      return;
    }
    for (const no of event.moves ?? []) this.#movers.add(no);
    assert.equal(seen.phase, "waiting", "room is made for a job that does not wait");
    assert.ok(!seen.cancelled, "[S22] room is made for a cancelled job");
    assert.equal(event.seats.length, seen.spec.members.min, "[S5] room is made for a whole gang");
    const left = event.seats.some(({ node, gpus }) => {
      const { leavingCpusMilli, leavingMemoryMiB } = state.fleet.node(node);
      return leavingCpusMilli + leavingMemoryMiB > 0 || gpus.some((gpu) => state.fleet.gpuLeaving[gpu]! > 0);
    });
    assert.ok(left || event.victims.length + this.#movers.size > 0, "[T6] room is made where there was room");
    const claimant = new Set([...pathUp(state, jobOf(state, event.job).account)].map((account) => account.no));
    for (const no of event.victims) {
      const victim = jobOf(state, no);
      assert.ok(victim.spec.preemptible, "a job that must not be preempted is");
      assert.ok(
        victim.cover === noAccount || claimant.has(victim.cover),
        "[S6] taken for someone its guarantee excludes",
      );
    }
  }

  /** Nothing of a tenant runs where another's work may still be, if that was asked for when it was placed. */
  #mayHave(id: LeaseId): void {
    const lease = this.state.leases.get(id)!;
    const { tenant } = this.state.accounts[jobOf(this.state, lease.job).account]!;
    for (const gpu of lease.gpus) {
      const before = this.#residue.get(gpu) ?? tenant;
      if (this.#scrubbing.has(id)) assert.equal(before, tenant, `[S4] ${id} runs on GPU ${gpu}, which was not cleared`);
      this.#residue.set(gpu, tenant);
    }
  }

  /** Who finds free seats does not start where its limit reaches into a planned absence of the node. */
  #mayStay({ job: no, seats, at }: Extract<Event, { kind: "job-placed" }>): void {
    const { claim, spec } = jobOf(this.state, no);
    if (claim !== undefined || spec.maxTimeMs === undefined) return;
    for (const { node } of seats) {
      for (const window of this.state.fleet.node(node).maintenance ?? [])
        assert.ok(
          window.to <= at || at + spec.maxTimeMs <= window.from,
          "[B5] starts where it must leave before its end",
        );
    }
  }

  #leaseMoved(event: Extract<Event, { kind: `lease-${string}` }>): void {
    const { lease } = event;
    const from = this.#leaseState.get(lease);
    assert.ok(from !== undefined && from !== "gone", `[S21] ${event.kind} of ${lease}, which is over`);
    if (event.kind === "lease-ended") {
      this.#leaseState.set(lease, "gone");
      this.#jobs.get(this.state.leases.get(lease)!.job)!.live.delete(lease);
      return;
    }
    if (event.kind === "lease-scrubbed" || event.kind === "lease-reshaped") {
      assert.equal(from, "starting", `[S4] ${event.kind} of ${lease}, which is ${from}`);
      return;
    }
    const to = ({ "lease-prepared": "prepared", "lease-started": "running", "lease-stopping": "stopping" } as const)[
      event.kind
    ];
    // That a member which is being stopped did start is taken down; it is still being stopped.
    if (event.kind === "lease-started" && from === "stopping") return;
    assert.ok(leaseOrder.indexOf(to) >= leaseOrder.indexOf(from), `[S21] ${lease} goes back from ${from} to ${to}`);
    this.#leaseState.set(lease, to);
  }

  #checkState(): void {
    const { state } = this;
    this.#checkLeases();
    for (const [no, seen] of this.#jobs) {
      if (seen.phase === "placed")
        assert.ok(seen.live.size > 0, `[S20] attempt of ${seen.id} is over and was not settled`);
      assert.equal(state.jobs.has(no), seen.phase !== "ended", `${seen.id} is ${seen.phase}`);
    }
    for (const array of state.arrays.values()) {
      const elements = [...state.jobs.values()].filter((job) => job.array === array.no);
      assert.equal(array.live, elements.length, "[S25] live elements");
      assert.equal(array.active, elements.filter((job) => job.state !== "waiting").length, "[S25] active elements");
      assert.ok(array.active <= (array.spec.array!.atOnceMax ?? array.size), "an array beyond its own limit");
    }
    // [S26] The events alone give this state, and so does its text.
    assert.equal(writeSnapshot(this.#replica), this.#text, "[S26] the events do not give the state");
    const read = readSnapshot(this.#text);
    assert.equal(writeSnapshot(read), this.#text, "[S26] the text does not give the state");
    assert.deepEqual(counters(read), counters(state), "[S25] counters of the state and of its text");
  }

  /** What every account holds, counted from its members' seats; with or without those that are being made free. */
  #held(claims: boolean) {
    const { state } = this;
    const held = new Map<number, { units: number; cpusMilli: number; memoryMiB: number }>();
    const count = (job: Job, gpus: number, unitsEach: number): void => {
      for (const account of [...pathUp(state, job.account), state.accounts[0]!]) {
        const amount = held.get(account.no) ?? { units: 0, cpusMilli: 0, memoryMiB: 0 };
        amount.units += unitsEach * gpus;
        amount.cpusMilli += job.spec.cpusMilli;
        amount.memoryMiB += job.spec.memoryMiB;
        held.set(account.no, amount);
      }
    };
    for (const job of state.jobs.values()) {
      for (const lease of job.leases) count(job, lease.gpus.length, lease.unitsEach);
      // Who is being moved holds its old seat and is given the new one for it [T9].
      if (!claims || job.claim === undefined || job.leases.length > 0) continue;
      for (const seat of job.claim.seats) count(job, seat.gpus.length, job.claim.unitsEach);
    }
    return held;
  }

  /** Recounts from the leases what the state counts as it goes. */
  #checkLeases(): void {
    const { state } = this;
    const perGpu = new Map<number, number>();
    const perNode = new Map<number, number>();
    for (const lease of state.leases.values()) {
      const live = this.#leaseState.get(lease.id);
      assert.ok(live !== undefined && live !== "gone", `${lease.id} is held and over`);
      assert.equal(lease.state, live);
      perNode.set(lease.node, (perNode.get(lease.node) ?? 0) + 1);
      for (const gpu of lease.gpus) {
        perGpu.set(gpu, (perGpu.get(gpu) ?? 0) + lease.unitsEach);
        assert.equal(state.fleet.gpuNode[gpu], lease.node);
      }
    }
    for (let gpu = 0; gpu < state.fleet.gpus; gpu++) {
      const free = state.fleet.gpuCapacity[gpu]! - (perGpu.get(gpu) ?? 0);
      assert.ok(free >= 0, `[S1] GPU ${gpu} is given twice`);
      assert.equal(state.fleet.gpuFree[gpu], free, `[S25] free units of GPU ${gpu}`);
    }
    for (const node of state.fleet.nodes) {
      if (node === undefined) continue;
      assert.equal(node.leases, perNode.get(node.no) ?? 0, "[S25] leases of a node");
      if (node.mode === "draining") assert.ok(node.leases > 0, "[L8] a node is empty and its drain does not end");
    }
    const held = this.#held(true);
    for (const account of state.accounts) {
      const { units, cpusMilli, memoryMiB } = state.usage[account!.no]!;
      const counted = held.get(account!.no) ?? { units: 0, cpusMilli: 0, memoryMiB: 0 };
      assert.deepEqual({ units, cpusMilli, memoryMiB }, counted, `[S25] usage of ${account!.path}`);
    }
  }
}

/** What a state counts as it goes, to be compared with the counts of a state that is read from its snapshot. */
function counters(state: State) {
  const { fleet } = state;
  return {
    usage: state.usage.map(({ users, ...held }) => ({
      held: JSON.stringify(held, (key, value) =>
        key === "byModel" ? fleet.models.map((_, i) => value[i] ?? 0) : value,
      ),
      users: [...users].filter(([, { waiting, units }]) => waiting > 0 || units > 0).sort(),
    })),
    gpuFree: [...fleet.gpuFree.subarray(0, fleet.gpus)],
    engines: [fleet.engines, fleet.modelEngine, fleet.enginesPresent()],
    modes: fleet.nodes.map((node) => node && [node.mode, node.reason, node.own]),
    gpuHeldFor: [...fleet.gpuHeldFor.subarray(0, fleet.gpus)],
    gpuCapacity: [...fleet.gpuCapacity.subarray(0, fleet.gpus)],
    nodeFreeGpus: [...fleet.nodeFreeGpus.subarray(0, fleet.nodes.length)],
    nodes: fleet.nodes.map((node) => node && [node.leases, node.freeCpusMilli, node.freeMemoryMiB]),
    liveJobs: state.accounts.map((account) => account?.liveJobs),
    leases: [...state.leases.keys()].sort(),
    movable: [...state.movable].map(([node, jobs]) => [node, [...jobs].map((job) => job.id).sort()]).sort(),
    claimants: [...state.claimants].map((job) => job.id).sort(),
  };
}

function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items.length === 0 ? undefined : items[index % items.length];
}

const searchMs = 8 * second;
const shrinkMs = minute;

describe("decideBatch", () => {
  it("keeps every promise on random days of small fleets", (t) => {
    // The same days each time, so that a change is judged by itself; TESSERA_SEED looks at others.
    const seed = Number(process.env.TESSERA_SEED ?? 20_261_115);
    t.diagnostic(`seed ${seed}: repeat with TESSERA_SEED=${seed}`);
    const property = fc.property(day, (batches) => {
      const today = new Day();
      for (const each of batches) today.live(each);
    });
    const search = { seed, numRuns: 100_000, interruptAfterTimeLimit: searchMs, endOnFailure: true };
    const found = fc.check(property, search);
    if (found.counterexamplePath === null) return t.diagnostic(`${found.numRuns} days`);
    // Something broke: only now is it worth the time to find the shortest day on which it does.
    fc.assert(property, { seed, path: found.counterexamplePath, interruptAfterTimeLimit: shrinkMs });
  });
});
