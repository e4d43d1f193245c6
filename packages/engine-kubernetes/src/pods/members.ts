import { setTimeout as sleep } from "node:timers/promises";
import { type LeaseId, leaseIdOf, parseLeaseId, type Report, type ReportWhat } from "@tessera/core";
import type { Clock, EngineLease, LeaseOrder, StopOrder } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import { ApiError, isStatus, MemberRefused, SeatGone } from "../api/error.ts";
import { withoutNoise } from "../api/keep.ts";
import { Mirror } from "../api/mirror.ts";
import { paths } from "../api/paths.ts";
import type { Pod } from "../api/types.ts";
import type { Inside } from "../inside/inside.ts";
import { insideFault, takeSecondsOf } from "../inside/parts.ts";
import { hasEnded } from "../inside/pod-status.ts";
import { annotation, label } from "../names.ts";
import type { Inventory } from "../nodes/inventory.ts";
import type { KubernetesSettings } from "../settings.ts";
import type { Walls } from "../walls/walls.ts";
import { deviceAskOf } from "./devices.ts";
import { endOf } from "./ends.ts";
import { isSameMember, PodCalls } from "./pod-calls.ts";
import { nextReport, progressOf } from "./progress.ts";
import { MemberRecord } from "./record.ts";
import { graceSeconds, podSpec } from "./spec.ts";
import { type StartLimits, verdictOn } from "./start-limits.ts";
import { isHeld, isKept, isOver, type StopMark, startedAt, stopMarkOf, timeOf, type Verdict } from "./status.ts";
import type { LeaseStore } from "./store.ts";
import { orderPath, signalName } from "./wrapper.ts";

export interface MembersPorts {
  readonly engine: string;
  /** Of this process: what another one does to a held pod makes our knowledge of it out of date. */
  readonly instance: string;
  readonly client: ApiClient;
  readonly settings: KubernetesSettings;
  readonly limits: StartLimits;
  readonly store: LeaseStore;
  readonly walls: Walls;
  readonly inventory: () => Inventory;
  readonly inside: () => Inside;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

const readyMsMax = 15_000;
const lookEveryMs = 1_000;
const callsAtOnce = 32;
/** A held pod that another control plane made after we took over is removed after this long, unless it is ordered here too. */
const orphanMs = 60_000;
const releaseAttempts = 5;
/** A seat that is gone is told after the nodes are: the control plane would choose it again at once. */
const newsMs = 2_000;

/** All members of this engine: their pods, what was told of them, and what is still to be done. */
export class Members {
  readonly #ports: MembersPorts;
  readonly #calls: PodCalls;
  readonly #pods: Mirror<Pod>;
  readonly #records = new Map<LeaseId, MemberRecord>();
  readonly #turns = new Map<LeaseId, Promise<void>>();
  readonly #watchers = new Map<LeaseId, Set<() => void>>();
  /** Members that wait for the address of rank 0, by its lease. */
  readonly #gangs = new Map<LeaseId, Set<LeaseId>>();
  /** Let go and not started, or held by another control plane: looked at every second. */
  readonly #waiting = new Set<MemberRecord>();
  /** Ends that are acknowledged while the pod could not be removed yet. */
  readonly #leaving = new Map<LeaseId, MemberRecord>();
  readonly #timer: NodeJS.Timeout;
  #listener: ((report: Report) => void) | undefined;
  #inCharge = false;
  /** Of the control plane that drives this process. */
  #epoch = 0;
  #closed = false;

  constructor(ports: MembersPorts) {
    this.#ports = ports;
    this.#calls = new PodCalls(ports.client);
    this.#pods = new Mirror<Pod>(ports.client, {
      path: paths.allPods,
      query: { labelSelector: `${label.engine}=${ports.engine}` },
      pathOf: ({ metadata }) => paths.pod(metadata.namespace!, metadata.name),
      keep: withoutNoise,
      onListed: () => this.#recallEnds(),
      onChange: (now, before) => this.#podChanged(now, before),
    });
    this.#timer = setInterval(() => this.#lookAgain(), lookEveryMs).unref();
  }

  ready(): Promise<void> {
    return this.#pods.ready(readyMsMax);
  }

  /** All pods of this engine, as they are known now. */
  pods(): IterableIterator<Pod> {
    return this.#pods.values();
  }

  pod(lease: LeaseId): Pod | undefined {
    return this.#records.get(lease)?.pod;
  }

  watch(lease: LeaseId, onChange: () => void): () => void {
    const watchers = this.#watchers.get(lease) ?? new Set();
    this.#watchers.set(lease, watchers.add(onChange));
    return () => {
      if (watchers.delete(onChange) && watchers.size === 0) this.#watchers.delete(lease);
    };
  }

  /** Every held pod becomes ours: a release that an earlier control plane has under way fails on its version. */
  async takeOver(epoch: number): Promise<void> {
    this.#epoch = Math.max(this.#epoch, epoch);
    await this.ready();
    const held = [...this.#records.values()].filter((record) => record.pod !== undefined && isHeld(record.pod));
    const taker = async () => {
      for (let record = held.pop(); record !== undefined; record = held.pop()) await this.#take(record);
    };
    await Promise.all(Array.from({ length: callsAtOnce }, taker));
    this.#inCharge = true;
  }

  bind(order: LeaseOrder): Promise<void> {
    this.#epoch = Math.max(this.#epoch, order.epoch);
    return this.#inTurn(order.lease, async () => {
      await this.ready();
      const known = this.#records.get(order.lease) ?? this.#remembered(order.lease);
      if (known?.pod !== undefined && isHeld(known.pod) && !this.#isOurs(known.pod)) await this.#take(known);
      if (known?.furnished && this.#records.has(order.lease)) {
        // Asked for something that happened long ago, the control plane does not know of it: it may have been restored.
        known.acknowledged = 0;
        for (const report of known.reports) this.#listener?.(report);
        return;
      }
      try {
        await this.#create(order);
      } catch (error) {
        const verdict = verdictFor(error);
        const record = this.#records.get(order.lease);
        if (record?.pod === undefined) this.#records.delete(order.lease);
        if (verdict === undefined) throw error;
        if (verdict.kind === "lost") await sleep(newsMs);
        await this.#giveUp(order, verdict);
      }
    });
  }

  release(lease: LeaseId): Promise<void> {
    return this.#inTurn(lease, async () => {
      await this.ready();
      const record = this.#records.get(lease);
      if (record?.pod === undefined || record.ended || record.stopAsked || !isHeld(record.pod)) return;
      if (record.pod.metadata.deletionTimestamp !== undefined) return;
      await this.#release(record);
    });
  }

  stop(lease: LeaseId, how: StopOrder): Promise<void> {
    return this.#inTurn(lease, async () => {
      await this.ready();
      const record = this.#records.get(lease) ?? this.#remembered(lease);
      if (record?.ended) return;
      if (record?.pod === undefined) {
        const stopped = record ?? this.#add(new MemberRecord(lease));
        this.#end(stopped, { kind: "exited", ran: false }, this.#now());
        return;
      }
      record.stopAsked = true;
      this.#changed(record);
      const { signal, graceMs, returns } = how;
      await this.#remove(record, { signal, graceMs, ...(returns && { returns }) });
    });
  }

  async list(): Promise<readonly EngineLease[]> {
    await this.ready();
    return [...this.#records.values()].map(({ lease, state, sequence }) => ({ lease, state, sequence }));
  }

  subscribe(listener: (report: Report) => void): void {
    this.#listener = listener;
    for (const { reports, acknowledged } of this.#records.values()) {
      for (const report of reports) if (report.sequence > acknowledged) listener(report);
    }
  }

  acknowledge(lease: LeaseId, sequence: number): Promise<void> {
    return this.#inTurn(lease, async () => {
      const record = this.#records.get(lease);
      if (record === undefined || sequence <= record.acknowledged) return;
      record.acknowledged = sequence;
      this.#ports.store.acknowledge(lease, sequence);
      if (!record.ended || sequence < record.sequence) return;
      this.#records.delete(lease);
      await this.#forget(record);
    });
  }

  /** A node left the cluster, and with it everything that ran there. */
  nodeGone(name: string): void {
    for (const record of this.#records.values()) {
      if (record.pod?.spec.nodeName !== name || record.ended || isOver(record.pod)) continue;
      this.#end(record, { kind: "lost", reason: `node ${name} is not in the cluster any more` }, this.#now());
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listener = undefined;
    clearInterval(this.#timer);
    this.#pods.close();
    await Promise.allSettled(this.#turns.values());
  }

  async #create(order: LeaseOrder): Promise<void> {
    const { engine, instance, settings, walls } = this.#ports;
    await this.#ports.inventory().ready();
    const view = this.#ports.inventory().view(order.node);
    if (view === undefined) throw new SeatGone(`node ${order.node} is not in the cluster`);
    const devices = deviceAskOf(order, view);
    const refusal = refusedOrder(order, settings);
    if (refusal !== undefined) throw new MemberRefused(refusal);
    const place = await walls.ensure(order);
    await this.#ports.inside().prepare(order, place.namespace);
    const wanted = podSpec(order, place, settings, { engine, instance, bootId: view.facts.bootId, devices });
    const record = this.#add(new MemberRecord(order.lease));
    record.furnished = false;
    let pod = await this.#calls.create(wanted).catch(async (error: unknown) => {
      if (!isStatus(error, 409)) throw error;
      const found = await this.#calls.read(wanted);
      if (!isSameMember(found, wanted)) {
        throw new MemberRefused(`another pod has its name, ${place.namespace}/${found.metadata.name}`);
      }
      return found;
    });
    if (!this.#isOurs(pod) && isHeld(pod)) pod = await this.#calls.take(pod, instance, this.#epoch);
    record.pod ??= pod;
    await this.#calls.furnish(pod, order, devices);
    record.furnished = true;
    this.#pods.put(pod);
    this.#look(record);
  }

  /** It cannot be made here: what was made of it goes, and that is told. */
  async #giveUp(order: LeaseOrder, verdict: Verdict): Promise<void> {
    const record = this.#records.get(order.lease);
    if (record?.pod !== undefined) {
      await this.#remove(record, { signal: "SIGKILL", graceMs: 0, verdict });
      return;
    }
    const bootId = this.#ports.inventory().view(order.node)?.facts.bootId ?? "";
    this.#end(record ?? this.#add(new MemberRecord(order.lease)), verdict, this.#now(), bootId);
  }

  async #release(record: MemberRecord): Promise<void> {
    const { lease } = record;
    const { job, attempt, rank } = parseLeaseId(lease) ?? { job: lease as never, attempt: 0, rank: 0 };
    let master: string | undefined;
    if (rank > 0) {
      const first = leaseIdOf(job, attempt, 0);
      const rankZero = this.#records.get(first);
      if (rankZero === undefined || (rankZero.ended && rankZero.pod === undefined)) {
        // Let go before this control plane was there, and over: nothing knows its address any more.
        const verdict = { kind: "lost", reason: "rank 0 of its gang ended before it was let go" } as const;
        return this.#remove(record, { signal: "SIGKILL", graceMs: 0, verdict });
      }
      master = rankZero.pod?.status?.podIP;
      if (master === undefined) {
        record.releaseWanted = true;
        this.#gangs.set(first, (this.#gangs.get(first) ?? new Set()).add(lease));
        return;
      }
    }
    record.releaseWanted = false;
    for (let attempts = 1; ; attempts++) {
      const { pod } = record;
      if (pod === undefined || record.ended || !isHeld(pod)) return;
      // Only a version that says that it is ours: if another control plane took it since, this version is out of date.
      if (!this.#isOurs(pod)) throw new Error(`its pod is held by another control plane`);
      try {
        this.#pods.put(await this.#calls.release(pod, this.#epoch, master));
        return;
      } catch (error) {
        if (isStatus(error, 404)) return; // its end is on its way
        if (!isStatus(error, 409) || attempts >= releaseAttempts) throw error;
        this.#pods.put(await this.#calls.read(pod));
      }
    }
  }

  /** Marks why a pod goes, then deletes it; its end comes as a change of the pod. */
  async #remove(record: MemberRecord, mark: StopMark): Promise<void> {
    const pod = record.pod!;
    const marked = stopMarkOf(pod);
    try {
      if (marked === undefined) this.#pods.put(await this.#calls.mark(pod, mark));
    } catch (error) {
      if (isStatus(error, 404) || isStatus(error, 409)) return; // its end is on its way
      throw error;
    }
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    const grace = graceSeconds(mark.graceMs) + takeSecondsOf(pod);
    if (deletionTimestamp !== undefined && grace >= (deletionGracePeriodSeconds ?? 0)) return;
    if (deletionTimestamp === undefined && startedAt(pod) !== undefined && !isOver(pod)) {
      this.#ports.inside().stopping(record.lease, pod, mark.returns === true);
      await this.#leaveOrder(record.lease, pod, mark);
    }
    await this.#calls.delete(pod, isHeld(pod) ? 0 : grace);
  }

  /** A pod has one stop signal and one grace for all its life; others are left inside, where the stop script finds them. */
  async #leaveOrder(lease: LeaseId, pod: Pod, { signal, graceMs }: StopMark): Promise<void> {
    const usualSignal = pod.metadata.annotations?.[annotation.signal] ?? "SIGTERM";
    const take = takeSecondsOf(pod);
    const usualGrace = Number(pod.spec.terminationGracePeriodSeconds) - take;
    // A shorter grace is kept by the cluster itself, unless it leaves the pod more time for its outputs.
    const graceHolds = take > 0 ? graceSeconds(graceMs) === usualGrace : graceSeconds(graceMs) <= usualGrace;
    if (signal === usualSignal && graceHolds) return;
    try {
      const command = `echo ${signalName(signal)} ${graceSeconds(graceMs)} > ${orderPath}`;
      const entry = await this.#ports.inside().open(lease, { kind: "exec", command });
      entry.output.resume();
      entry.errors.resume();
      entry.input.end();
      await entry.ended;
    } catch (error) {
      this.#ports.warn(`${lease}: gets its usual signal and grace: ${(error as Error).message}`);
    }
  }

  async #take(record: MemberRecord): Promise<void> {
    try {
      if (!(await this.#calls.isFurnished(record.pod!))) {
        // Its control plane died before that, and has told nothing of it: it is made again when it is ordered again.
        await this.#calls.sweep(record.pod!);
        this.#records.delete(record.lease);
        return;
      }
      this.#pods.put(await this.#calls.take(record.pod!, this.#ports.instance, this.#epoch));
    } catch (error) {
      if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
    }
  }

  async #forget(record: MemberRecord): Promise<void> {
    if (record.pod === undefined) return;
    this.#leaving.set(record.lease, record);
    await this.#calls.forget(record.pod);
    this.#leaving.delete(record.lease);
  }

  #podChanged(now: Pod | undefined, before: Pod | undefined): void {
    const pod = now ?? before!;
    const lease = pod.metadata.annotations?.[annotation.lease] as LeaseId | undefined;
    if (lease === undefined || this.#closed) return;
    const record = this.#records.get(lease);
    if (now === undefined) {
      if (record?.pod?.metadata.uid === pod.metadata.uid && record !== undefined) this.#podGone(record, pod);
      return;
    }
    if (record !== undefined) {
      if (record.pod === undefined || record.pod.metadata.uid === now.metadata.uid) record.pod = now;
      this.#look(record);
    } else if (isKept(now)) {
      this.#adopt(lease, now);
    } else if (isOver(now) && now.metadata.deletionTimestamp === undefined && !this.#leaving.has(lease)) {
      // An earlier process was stopped while it let go of it.
      this.#leaving.set(lease, new MemberRecord(lease, now));
    }
  }

  /** A pod of which this process knows nothing yet. */
  #adopt(lease: LeaseId, pod: Pod): void {
    const { acknowledged = 0, end } = this.#ports.store.get(lease) ?? {};
    const record = new MemberRecord(lease, pod);
    record.acknowledged = acknowledged;
    if (end !== undefined && acknowledged >= end.sequence) {
      // An earlier process was stopped between the acknowledgement and this.
      this.#leaving.set(lease, record);
      return;
    }
    this.#add(record);
    if (end !== undefined) {
      record.reports = this.#before(record, pod, end);
      record.ended = true;
      this.#tell(record, 0);
      return;
    }
    this.#look(record);
  }

  /** What was told of a lease before its end, as far as that still follows from its pod. */
  #before(record: MemberRecord, pod: Pod, end: Report): Report[] {
    const reports = progressOf(record.lease, pod);
    if (reports.length + 1 < end.sequence) reports.push(this.#overran(record.lease, pod, reports));
    return reports.length + 1 === end.sequence ? [...reports, end] : [end];
  }

  #podGone(record: MemberRecord, last: Pod): void {
    record.pod = undefined;
    this.#leaving.delete(record.lease);
    if (record.ended) return;
    const { end, at } = endOf(last, record.reports);
    const known = isOver(last) || stopMarkOf(last) !== undefined;
    const what: ReportWhat = known ? end : { kind: "lost", reason: "its pod was removed from the cluster" };
    this.#end(record, what, at ?? this.#now());
  }

  /** Tells what is new, and does what follows from it. */
  #look(record: MemberRecord): void {
    const { pod } = record;
    if (pod === undefined || record.ended || !record.furnished || this.#closed) return;
    if (isHeld(pod) && !isOver(pod) && !this.#isOurs(pod)) {
      this.#wait(record);
      return;
    }
    const began = startedAt(pod);
    // Its log goes with its pod, whoever deleted that.
    if (began !== undefined && pod.metadata.deletionTimestamp !== undefined && !isOver(pod))
      this.#ports.inside().stopping(record.lease, pod, stopMarkOf(pod)?.returns === true);
    const limitless = began === undefined || record.announced || this.#deadlineOf(pod, began) === undefined;
    if (isOver(pod) || hasEnded(pod) || !limitless) {
      void this.#inTurn(record.lease, () => this.#advance(record)).catch((error: Error) => {
        this.#ports.warn(`${record.lease}: ${error.message}`);
        this.#wait(record); // tried again in a second
      });
      return;
    }
    this.#progress(record, pod);
    if (began !== undefined) this.#announce(record, pod);
    else if (!isHeld(pod)) this.#wait(record);
    this.#changed(record);
  }

  /** The steps that need calls: the limit from the start of the container on, and what is kept of a member that has ended. */
  async #advance(record: MemberRecord): Promise<void> {
    const { pod, lease } = record;
    if (pod === undefined || record.ended || this.#closed) return;
    const began = startedAt(pod);
    const deadline = began === undefined ? undefined : this.#deadlineOf(pod, began);
    if (deadline !== undefined && !isOver(pod) && pod.metadata.deletionTimestamp === undefined) {
      const limited = await this.#calls.limit(pod, deadline).catch((error: unknown) => {
        if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
      });
      record.announced = true;
      if (limited !== undefined) this.#pods.put(limited);
    }
    this.#progress(record, pod);
    if (began !== undefined) this.#announce(record, pod);
    // The agent of the pod waits until what the member left is kept.
    const outputs = began !== undefined && (isOver(pod) || hasEnded(pod)) ? await this.#keep(lease, pod) : undefined;
    if (!isOver(pod)) return;
    const { end, at, overran } = endOf(pod, record.reports);
    if (record.ended) return;
    if (overran) {
      record.reports.push(this.#overran(lease, pod, record.reports));
      this.#tell(record, record.reports.length - 1);
    }
    this.#end(
      record,
      outputs === undefined ? end : { ...end, ...(end.kind === "exited" && { outputs }) },
      at ?? this.#now(),
    );
  }

  async #keep(lease: LeaseId, pod: Pod) {
    try {
      return await this.#ports.inside().keep(lease, pod, stopMarkOf(pod)?.returns === true);
    } catch (error) {
      this.#ports.warn(`${lease}: its log or its outputs are not kept: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** The limit was reached so long after the start: the cluster says only that it was. */
  #overran(lease: LeaseId, pod: Pod, before: readonly Report[]): Report {
    const runMsMax = Number(pod.metadata.annotations?.[annotation.runMsMax] ?? 0);
    return nextReport(lease, pod, before, (startedAt(pod) ?? 0) + runMsMax, { kind: "stopping", cause: "time-limit" });
  }

  /** What `activeDeadlineSeconds` should be now that it runs, if it is not. */
  #deadlineOf(pod: Pod, began: number): number | undefined {
    const runMsMax = Number(pod.metadata.annotations?.[annotation.runMsMax] ?? 0);
    if (runMsMax === 0) return undefined;
    const before = Math.max(0, began - (timeOf(pod.status?.startTime) ?? began));
    // Times of the cluster are whole seconds: one more, so that no member is given less than its time.
    const seconds = Math.ceil((before + runMsMax) / 1000) + 1;
    return Number(pod.spec.activeDeadlineSeconds) > seconds ? seconds : undefined;
  }

  #progress(record: MemberRecord, pod: Pod): void {
    const known = record.reports.length;
    const all = progressOf(record.lease, pod);
    if (all.length <= known) return;
    record.reports.push(...all.slice(known));
    this.#tell(record, known);
  }

  #announce(record: MemberRecord, pod: Pod): void {
    this.#waiting.delete(record);
    record.waitingSince = undefined;
    if (!record.announced) this.#ports.inside().started(record.lease, pod);
    record.announced = true;
  }

  #end(record: MemberRecord, what: ReportWhat, at: number, bootId?: string): void {
    if (record.ended) return;
    const next = nextReport(record.lease, record.pod, record.reports, at, what);
    const report = bootId === undefined ? next : { ...next, bootId };
    this.#ports.store.end(record.lease, report);
    record.reports.push(report);
    record.ended = true;
    this.#waiting.delete(record);
    this.#tell(record, record.reports.length - 1);
    this.#changed(record);
  }

  #tell(record: MemberRecord, from: number): void {
    for (const report of record.reports.slice(from)) {
      if (report.sequence > record.acknowledged) this.#listener?.(report);
    }
  }

  #wait(record: MemberRecord): void {
    record.waitingSince ??= performance.now();
    this.#waiting.add(record);
  }

  #changed(record: MemberRecord): void {
    for (const watcher of this.#watchers.get(record.lease) ?? []) watcher();
    const gang = record.pod?.status?.podIP === undefined ? undefined : this.#gangs.get(record.lease);
    if (gang === undefined) return;
    this.#gangs.delete(record.lease);
    for (const lease of gang) {
      this.release(lease).catch((error: Error) => {
        this.#ports.warn(`${lease}: ${error.message}`);
        const waiting = this.#records.get(lease);
        if (waiting?.releaseWanted) this.#wait(waiting);
      });
    }
  }

  #lookAgain(): void {
    for (const record of this.#waiting) {
      const { pod } = record;
      if (pod === undefined || record.ended) this.#waiting.delete(record);
      else if (isHeld(pod) && !this.#isOurs(pod)) this.#sweepOrphan(record, pod);
      else if (record.releaseWanted)
        this.release(record.lease).catch(() => {}); // again in a second
      else if (isHeld(pod)) this.#waiting.delete(record);
      else if (isOver(pod) || startedAt(pod) !== undefined) this.#look(record);
      else this.#judge(record, pod);
    }
    for (const record of this.#leaving.values())
      void this.#inTurn(record.lease, () => this.#forget(record)).catch(() => {});
  }

  #judge(record: MemberRecord, pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const verdict = verdictOn(pod, performance.now() - record.waitingSince!, this.#ports.limits);
    if (verdict === undefined) return;
    void this.#inTurn(record.lease, () => this.#remove(record, { signal: "SIGKILL", graceMs: 0, verdict })).catch(
      () => {},
    );
  }

  /** Made by a control plane that was replaced, which cannot let it go any more. */
  #sweepOrphan(record: MemberRecord, pod: Pod): void {
    if (!this.#inCharge || performance.now() - record.waitingSince! < orphanMs) return;
    void this.#inTurn(record.lease, async () => {
      if (record.pod !== pod) return;
      await this.#calls.sweep(pod);
      this.#waiting.delete(record);
      this.#records.delete(record.lease);
    }).catch(() => {});
  }

  #isOurs({ metadata }: Pod): boolean {
    return metadata.annotations?.[annotation.instance] === this.#ports.instance;
  }

  #add(record: MemberRecord): MemberRecord {
    this.#records.set(record.lease, record);
    return record;
  }

  /** Ends that were not acknowledged, of leases that have no pod. */
  #recallEnds(): void {
    for (const [lease, end] of this.#ports.store.open()) {
      if (!this.#records.has(lease)) this.#tell(this.#recall(lease, end), 0);
    }
  }

  #recall(lease: LeaseId, end: Report): MemberRecord {
    const record = new MemberRecord(lease);
    record.reports = [end];
    record.ended = true;
    return this.#add(record);
  }

  /** A lease that was forgotten is remembered by how it ended: it must not run again [S34]. */
  #remembered(lease: LeaseId): MemberRecord | undefined {
    const end = this.#ports.store.get(lease)?.end;
    return end === undefined ? undefined : this.#recall(lease, end);
  }

  #now(): number {
    return this.#ports.clock.now();
  }

  /** Runs what concerns one lease one after the other, so that no two calls see it half changed. */
  async #inTurn(lease: LeaseId, act: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(lease) ?? Promise.resolve()).catch(() => {}).then(act);
    this.#turns.set(lease, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(lease) === turn) this.#turns.delete(lease);
    }
  }
}

/** What stands in the way of a member for good, in the words of the cluster; undefined for what may pass. */
function verdictFor(error: unknown): Verdict | undefined {
  if (error instanceof SeatGone) return { kind: "lost", reason: error.message };
  if (error instanceof MemberRefused) return { kind: "refused", reason: error.message };
  if (!(error instanceof ApiError)) return undefined;
  const passing = /being terminated|not yet ready to handle|timed out|context deadline/i.test(error.message);
  if (![400, 403, 422].includes(error.status) || passing) return undefined;
  return { kind: "refused", reason: `the cluster refuses it: ${error.message}` };
}

/** The kernel takes no argument longer than 128 KiB. */
const scriptBytesMax = 128 * 1024 - 1;

function refusedOrder(order: LeaseOrder, settings: KubernetesSettings): string | undefined {
  if (order.image === undefined && settings.defaultImage === undefined) {
    return "it names no image, and this cluster has no default one; name one with --image";
  }
  const fault = insideFault(order, settings);
  if (fault !== undefined) return fault;
  if (order.strict) return "strict: the number of processes of a pod cannot be limited here";
  for (const [field, script] of Object.entries({ setup: order.setup ?? "", run: order.run })) {
    if (Buffer.byteLength(script) > scriptBytesMax) {
      return `${field} is longer than the ${scriptBytesMax} bytes that a shell can be given; put it into a file`;
    }
  }
  return undefined;
}
