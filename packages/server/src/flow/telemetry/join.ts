import { setImmediate as nextTurn } from "node:timers/promises";
import { type FleetNode, type Lease, type ReadonlyState, recordGpu, tenantOf, unitsPerGpu } from "@tessera/core";
import type { GpuMetrics, GpuSample, MemberSample, Telemetry } from "@tessera/engine";
import type { Holder, MemberRow, TelemetryRow } from "@tessera/telemetry";
import { Seen } from "./seen.ts";
import { isCores, isMemory, soundMetrics } from "./sound.ts";
import type { Spans } from "./spans.ts";

export interface Joined {
  readonly rows: TelemetryRow[];
  readonly members: MemberRow[];
  /** Samples and values that cannot be: of nodes or leases that are not there, from another time, out of range. */
  dropped: number;
}

export interface JoinContext {
  readonly state: ReadonlyState;
  readonly engine: string;
  readonly now: number;
  readonly spans: Spans;
}

/** Samples from further away are no news: the clock of the source is wrong, or it repeats itself. */
const lateMsMax = 10 * 60_000;
const earlyMsMax = 60_000;
/** After so many samples others have their turn. */
const samplesAtOnce = 1_000;

/** What an engine says, joined to the leases that the journal knows. An engine can say nothing about what it does not have. */
export async function join(context: JoinContext, telemetry: Telemetry): Promise<Joined> {
  const joined: Joined = { rows: [], members: [], dropped: 0 };
  let seen = new Seen(context.state, context.engine);
  const othersTurn = async () => {
    await nextTurn();
    seen = new Seen(context.state, context.engine); // the replica may have moved on
  };
  const ofLease = new Map(telemetry.members.map((member) => [member.lease, member]));
  const cut = new Set(telemetry.gpus.filter(({ instance }) => instance !== undefined).map(({ gpuUuid }) => gpuUuid));
  const byGpu = new Map<string, GpuSample[]>();
  let sinceTurn = 0;
  for (const sample of telemetry.gpus) {
    if (!cut.has(sample.gpuUuid)) joinWhole(context, seen, sample, ofLease, joined);
    else if (!byGpu.get(sample.gpuUuid)?.push(sample)) byGpu.set(sample.gpuUuid, [sample]);
    if (++sinceTurn % samplesAtOnce === 0) await othersTurn();
  }
  for (const samples of byGpu.values()) {
    joinCut(context, seen, samples, joined);
    if (++sinceTurn % samplesAtOnce === 0) await othersTurn();
  }
  for (const member of telemetry.members) {
    joinMember(context, seen, member, joined);
    if (++sinceTurn % samplesAtOnce === 0) await othersTurn();
  }
  return joined;
}

type Row = Omit<TelemetryRow, "share" | keyof Holder>;

/** A whole GPU, which one lease holds or several share. */
function joinWhole(
  context: JoinContext,
  seen: Seen,
  sample: GpuSample,
  ofLease: ReadonlyMap<string, MemberSample>,
  joined: Joined,
): void {
  const place = placeOf(context, seen, sample, joined);
  if (place === undefined) return;
  const leases = leasesOf(seen, place, sample, joined);
  if (leases.length === 0) {
    joined.rows.push({ ...place.row, share: unitsPerGpu });
    return;
  }
  const held = leases.reduce((sum, lease) => sum + unitsOf(lease), 0);
  const began = leases.filter((lease) => heldThroughout(lease, place.row));
  const common = ofOneTenant(context.state, leases) ? place.row.metrics : {};
  for (const lease of began) {
    // Shares of a GPU that is promised more than once add up to one GPU all the same.
    const share = Math.round((unitsOf(lease) * unitsPerGpu) / Math.max(held, unitsPerGpu));
    const own = lease.part === undefined ? undefined : ofLease.get(lease.id)?.gpuMemoryMiB;
    const metrics = isMemory(own) ? { ...common, memoryUsedMiB: own } : common;
    const row = { ...place.row, metrics, ...holderOf(context.state, lease), share };
    joined.rows.push(isMemory(own) ? { ...row, apart: true } : row);
  }
}

/**
 * Whether what was measured of the whole GPU may be told of each of its leases. Where several tenants work on it, one
 * would read the load of the other from it [S23]: then it is told of none.
 */
function ofOneTenant(state: ReadonlyState, leases: readonly Lease[]): boolean {
  if (leases.length <= 1) return true;
  const tenants = new Set(leases.map(({ job }) => tenantOf(state, state.jobs.get(job)!.account).no));
  return tenants.size <= 1;
}

/** A GPU in instances: what only the whole GPU knows is that of each instance too, by its share. */
function joinCut(context: JoinContext, seen: Seen, samples: readonly GpuSample[], joined: Joined): void {
  const places = samples.flatMap((sample) => placeOf(context, seen, sample, joined) ?? []);
  const whole = places.find(({ row }) => row.instance === undefined);
  const instances = places
    .filter(({ row }) => row.instance !== undefined)
    .map((place) => ({ ...place, lease: leasesOf(seen, place, place.sample, joined)[0] }));
  const held = instances.reduce((sum, { lease }) => sum + (lease === undefined ? 0 : unitsOf(lease)), 0);
  const unheld = instances.filter(({ lease }) => lease === undefined).length;
  const rest = Math.max(0, unitsPerGpu - held);
  const shared = sharedMetrics(whole?.row.metrics);
  const isOneTenants = ofOneTenant(
    context.state,
    instances.flatMap(({ lease }) => lease ?? []),
  );
  for (const { row, lease } of instances) {
    if (lease !== undefined && !heldThroughout(lease, row)) continue;
    const share = lease === undefined ? Math.floor(rest / unheld) : unitsOf(lease);
    const metrics = lease === undefined || isOneTenants ? { ...shared, ...row.metrics } : row.metrics;
    joined.rows.push({ ...row, metrics, ...(lease && holderOf(context.state, lease)), share, apart: true });
  }
  if (whole === undefined || unheld > 0 || rest === 0) return;
  joined.rows.push({ ...whole.row, metrics: shared, share: rest });
}

function sharedMetrics(metrics: GpuMetrics = {}): GpuMetrics {
  const { powerMilliwatts, energyMillijoules, temperatureCelsius, smClockMhz, memoryClockMhz, throttleReasons } =
    metrics;
  const shared = {
    powerMilliwatts,
    energyMillijoules,
    temperatureCelsius,
    smClockMhz,
    memoryClockMhz,
    throttleReasons,
  };
  return Object.fromEntries(Object.entries(shared).filter(([, value]) => value !== undefined));
}

interface Place {
  readonly sample: GpuSample;
  readonly node: FleetNode;
  readonly index: number;
  readonly row: Row;
}

function placeOf(context: JoinContext, seen: Seen, sample: GpuSample, joined: Joined): Place | undefined {
  const { state, spans } = context;
  const { instance, at, source, gpuUuid } = sample;
  const { node, key } = seen.node(sample.node);
  const index = node === undefined ? -1 : seen.indexOf(node, gpuUuid);
  const gpu = node?.facts.gpus[index];
  if (node === undefined || gpu === undefined || !isNow(context, at)) {
    joined.dropped++;
    return undefined;
  }
  const name = recordGpu(state.fleet, node.facts, gpu.uuid);
  const spanMs = spans.of(instance === undefined ? name : `${name}\0${instance}`, at);
  if (spanMs === undefined) return undefined;
  const { metrics, dropped } = soundMetrics(sample.metrics);
  joined.dropped += dropped;
  const { model } = gpu;
  const row: Row =
    instance === undefined
      ? { at, spanMs, node: key, gpu: name, model, source, metrics }
      : { at, spanMs, node: key, gpu: name, model, source, metrics, instance };
  return { sample, node, index, row };
}

/** The leases that hold this GPU by the journal, of those that the engine names. */
function leasesOf(seen: Seen, { node, index }: Place, { leases }: GpuSample, joined: Joined): Lease[] {
  const gpu = node.firstGpu + index;
  const here: Lease[] = [];
  for (const id of leases) {
    const lease = seen.lease(id);
    if (lease === undefined) continue;
    if (lease.node === node.no && lease.gpus.some((no) => no === gpu)) here.push(lease);
    else joined.dropped++;
  }
  return here;
}

function joinMember(context: JoinContext, seen: Seen, member: MemberSample, joined: Joined): void {
  const { state, engine, spans } = context;
  const lease = seen.lease(member.lease);
  const node = lease && state.fleet.nodes[lease.node];
  if (lease === undefined || node?.facts.engine !== engine || !isNow(context, member.at)) {
    joined.dropped++;
    return;
  }
  const spanMs = spans.of(member.lease, member.at);
  if (spanMs === undefined) return;
  const { cpusMilli, memoryMiB } = member;
  const model = lease.gpus[0] === undefined ? undefined : node.facts.gpus[lease.gpus[0] - node.firstGpu]?.model;
  joined.members.push({
    ...{ ...holderOf(state, lease), at: member.at, spanMs, node: seen.node(node.facts.name).key },
    // The kernel of the node told it; what matters is whether there is a machine.
    source: node.facts.virtual ? "virtual" : "nvml",
    ...(model !== undefined && { model }),
    ...(isCores(cpusMilli) && { cpusMilli }),
    ...(isMemory(memoryMiB) && { memoryMiB }),
  });
}

function holderOf(state: ReadonlyState, lease: Lease): Holder {
  const job = state.jobs.get(lease.job)!;
  const { id: account } = state.accounts[job.account]!;
  return { lease: lease.id, job: job.id, rank: lease.rank, account, user: job.user };
}

/** A sample that began before the lease tells of what held the GPU before: it is told of nothing. */
function heldThroughout({ placedAt }: Lease, { at, spanMs }: Row): boolean {
  return at - spanMs >= placedAt;
}

function unitsOf({ part, unitsEach }: Lease): number {
  return part?.compute ?? unitsEach;
}

function isNow({ now }: JoinContext, at: number): boolean {
  return at >= now - lateMsMax && at <= now + earlyMsMax;
}
