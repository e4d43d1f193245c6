import assert from "node:assert/strict";
import {
  type AccountId,
  type Event,
  type HealthAction,
  isRefusal,
  type JobId,
  Meter,
  meaningOf,
  minute,
  parseJob,
  plainTerms,
  type State,
  type UserId,
} from "@tessera/core";
import { declareNodes, SimulatedClock, SimulatedEngine, SimulatedFleet } from "@tessera/engine-simulated";
import type { CommitListener } from "@tessera/server";
import { VirtualControlPlane } from "../virtual/control-plane.ts";
import { harmless } from "./harmless.ts";

/** What one line of the log did to its node and to the job there. */
export interface ReplayRow {
  readonly xid: string;
  readonly line: string;
  readonly means: string;
  readonly action: HealthAction;
  readonly node: string;
  readonly mode: string;
  readonly repair: string;
  readonly job: string;
  /** The attempts of the job so far, and what it does now. */
  readonly became: string;
  readonly retriesUsed: number;
  readonly creditedMinutes: number;
}

export interface Replayed {
  readonly rows: readonly ReplayRow[];
  readonly kinds: number;
  /** Nodes that were taken out of use although the line is to be ignored, or kept although it is not. */
  readonly wrong: readonly string[];
}

const user = "usr_replay" as UserId;
const startAt = Date.UTC(2026, 0, 1);
const ranMs = 10 * minute;
/** Of a program that the driver has ended. */
const crashCode = 134;

/**
 * Replays a kernel log against a simulated fleet with a job on each node. Lines are about the GPUs in their order; each node
 * has one, so that what follows is told apart. As many nodes stand by.
 */
export async function replayLog(lines: readonly string[]): Promise<Replayed> {
  const clock = new SimulatedClock(startAt);
  const nodes = declareNodes({ count: 2 * lines.length, gpusEach: 1, model: "H100", prefix: "n" });
  const behaviour = () => ({ startMs: 0, runMs: 60 * minute, exitCode: 0, ignoresSignal: false });
  const fleet = new SimulatedFleet({ clock, nodes, behaviour, prepareMs: 0 });
  const control = new VirtualControlPlane(clock);
  const engine = new SimulatedEngine(fleet);
  await control.drive(engine);
  engine.onHealth((finding) => void control.ask({ kind: "node.finding", ...finding }));
  const lost = new LostWork();
  control.follow(lost);
  void control.ask({ kind: "node.register", nodes });
  void control.ask({ kind: "account.create", id: "acc_lab" as AccountId, path: "lab", terms: plainTerms });
  await control.settle();
  const jobs = lines.map((_, i) => `job_${String(i + 1).padStart(3, "0")}` as JobId);
  for (const id of jobs) {
    const spec = parseJob(
      { name: id, run: "train", gpus: 1, retry: { max: 2, when: ["failed", "node_lost"] } },
      { after: [] },
    );
    assert.ok(!isRefusal(spec));
    void control.ask({ kind: "job.submit", id, account: "lab", user, spec, endedBefore: [] });
    await control.settle();
  }
  await control.advanceTo(startAt + ranMs);
  await control.settle();
  for (const line of lines) {
    const finding = fleet.kernelSays(line);
    assert.ok(finding?.gpuUuid !== undefined, `${line} is about no GPU of the fleet`);
    await control.settle();
    if (endsProgram(meaningOf(finding).action)) fleet.endPrograms(finding.gpuUuid, crashCode);
    await control.settle();
  }
  await control.advanceTo(startAt + ranMs + minute);
  await control.settle();
  const rows = lines.map((line, i) => rowOf(control.written, nodes[i]!.name, line, jobs[i]!, lost));
  const wrong = rows
    .filter((row) => isHarmless(row) !== (row.mode === "up"))
    .map(({ xid, node }) => `${xid} on ${node}`);
  return { rows, kinds: new Set(rows.map(({ xid }) => xid)).size, wrong };
}

function rowOf(state: State, name: string, line: string, id: JobId, lost: LostWork): ReplayRow {
  const node = state.fleet.nodes.find((each) => each?.facts.name === name)!;
  const [found] = state.health.get(`simulated/${name}`)?.findings ?? [];
  assert.ok(found !== undefined, `${line} was not understood`);
  const repair = [...state.repairs.values()].find((each) => each.node === `simulated/${name}`);
  const job = state.jobById.get(id);
  const now =
    job?.leases[0] === undefined
      ? (job?.state ?? "ended")
      : `${job.state} on ${state.fleet.node(job.leases[0].node).facts.name}`;
  const before = (job?.attempts ?? []).map(({ result, why, exitCode }) => why ?? `${result} (${exitCode})`);
  return {
    ...{ xid: found.code, line, means: meaningOf(found).means, action: found.action, node: name, mode: node.own.mode },
    repair: repair === undefined ? "" : `${repair.no}: ${repair.step}`,
    job: id,
    became: [...before, now].join("; "),
    retriesUsed: job?.failures ?? 0,
    creditedMinutes: Math.round((lost.ms.get(id) ?? 0) / minute),
  };
}

/** The work of each job that is credited because its node had a fault. */
class LostWork implements CommitListener {
  readonly ms = new Map<string, number>();

  before(event: Event, state: State): void {
    const meter = new Meter(1);
    meter.see(event, state);
    for (const each of meter.records)
      if (each.is === "lost" && each.record.cause === "node_fault")
        this.ms.set(each.record.job, (this.ms.get(each.record.job) ?? 0) + each.record.lostMs);
  }
}

/** Xid 154 says what to do by itself; all others are on the list that judges. */
function isHarmless({ xid, line }: ReplayRow): boolean {
  return xid === "154" ? line.includes("to 0x0") : harmless.has(Number(xid));
}

/** What the fault does to the program on the GPU, by the action that follows from it. */
export function endsProgram(action: HealthAction): boolean {
  return action === "restart-job" || action === "reset" || action === "quarantine" || action === "rma";
}
