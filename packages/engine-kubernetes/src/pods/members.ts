import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseId, Report } from "@tessera/core";
import type { EngineLease, LeaseOrder, StopOrder } from "@tessera/engine";
import { withoutNoise } from "../api/keep.ts";
import { Mirror } from "../api/mirror.ts";
import { paths } from "../api/paths.ts";
import type { Pod } from "../api/types.ts";
import { label } from "../names.ts";
import { Gangs } from "./gangs.ts";
import { Holding } from "./holding.ts";
import { Leaving } from "./leaving.ts";
import { Life } from "./life.ts";
import { Making } from "./making.ts";
import { PodCalls } from "./pod-calls.ts";
import type { MembersPorts } from "./ports.ts";
import { MemberRecord } from "./record.ts";
import { Records } from "./records.ts";
import { verdictFor } from "./refusals.ts";
import { Removal } from "./removal.ts";
import { Reports } from "./reports.ts";
import { isHeld, isOver } from "./status.ts";
import { Turns } from "./turns.ts";
import { Waiting } from "./waiting.ts";
import { Watchers } from "./watchers.ts";

const readyMsMax = 15_000;
/** A seat that is gone is told after the nodes are: the control plane would choose it again at once. */
const newsMs = 2_000;
const lookEveryMs = 1_000;

/** All members of this engine: takes the orders for them, each in the turn of its lease, and gives them to the parts. */
export class Members {
  readonly #ports: MembersPorts;
  readonly #pods: Mirror<Pod>;
  readonly #turns = new Turns();
  readonly #watchers = new Watchers();
  readonly #calls: PodCalls;
  readonly #records: Records;
  readonly #reports: Reports;
  readonly #holding: Holding;
  readonly #gangs: Gangs;
  readonly #making: Making;
  readonly #removal: Removal;
  readonly #waiting: Waiting;
  readonly #leaving: Leaving;
  readonly #life: Life;
  readonly #timer: NodeJS.Timeout;

  constructor(ports: MembersPorts) {
    const turns = this.#turns;
    const calls = new PodCalls(ports.client);
    const pods = new Mirror<Pod>(ports.client, {
      path: paths.allPods,
      query: { labelSelector: `${label.engine}=${ports.engine}` },
      pathOf: ({ metadata }) => paths.pod(metadata.namespace!, metadata.name),
      keep: withoutNoise,
      onListed: () => this.#recallEnds(),
      onChange: (now, before) => this.#life.podChanged(now, before),
    });
    const records = new Records(ports.store);
    const reports = new Reports(ports.store, ports.clock);
    const { instance, limits } = ports;
    const holding = new Holding({ instance, calls, pods, records });
    const removal = new Removal({ ...ports, calls, pods });
    const leaving = new Leaving(calls, turns);
    const release = (lease: LeaseId) => this.release(lease);
    const advance = (record: MemberRecord) => this.#life.look(record);
    const waiting = new Waiting({ limits, turns, holding, removal, release, advance });
    const onChange = (record: MemberRecord) => this.#changed(record);
    this.#ports = ports;
    this.#calls = calls;
    this.#pods = pods;
    this.#records = records;
    this.#reports = reports;
    this.#holding = holding;
    this.#removal = removal;
    this.#leaving = leaving;
    this.#waiting = waiting;
    this.#gangs = new Gangs(records);
    this.#making = new Making({ ...ports, calls, pods, records, holding });
    this.#life = new Life({ ...ports, calls, pods, turns, records, reports, holding, waiting, leaving, onChange });
    this.#timer = setInterval(() => this.#look(), lookEveryMs).unref();
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
    return this.#watchers.add(lease, onChange);
  }

  async takeOver(epoch: number): Promise<void> {
    this.#holding.reach(epoch);
    await this.ready();
    await this.#holding.takeAll();
  }

  bind(order: LeaseOrder): Promise<void> {
    this.#holding.reach(order.epoch);
    return this.#turns.run(order.lease, async () => {
      await this.ready();
      const known = this.#records.known(order.lease);
      if (known?.pod !== undefined && isHeld(known.pod) && !this.#holding.isOurs(known.pod))
        await this.#holding.take(known);
      if (known?.furnished && this.#records.has(order.lease)) {
        // Asked for something that happened long ago, the control plane does not know of it: it may have been restored.
        this.#reports.repeat(known);
        return;
      }
      await this.#make(order);
    });
  }

  release(lease: LeaseId): Promise<void> {
    return this.#turns.run(lease, async () => {
      await this.ready();
      const record = this.#records.get(lease);
      if (record?.pod === undefined || record.ended || record.stopAsked || !isHeld(record.pod)) return;
      if (record.pod.metadata.deletionTimestamp !== undefined) return;
      await this.#release(record, record.pod);
    });
  }

  stop(lease: LeaseId, how: StopOrder): Promise<void> {
    return this.#turns.run(lease, async () => {
      await this.ready();
      const record = this.#records.known(lease);
      if (record?.ended) return;
      if (record?.pod === undefined) {
        this.#life.end(record ?? this.#records.add(new MemberRecord(lease)), { kind: "exited", ran: false });
        return;
      }
      record.stopAsked = true;
      this.#changed(record);
      const { signal, graceMs, returns } = how;
      await this.#removal.remove(lease, record.pod, { signal, graceMs, ...(returns && { returns }) });
    });
  }

  async list(): Promise<readonly EngineLease[]> {
    await this.ready();
    return [...this.#records.values()].map(({ lease, state, sequence }) => ({ lease, state, sequence }));
  }

  subscribe(listener: (report: Report) => void): void {
    this.#reports.subscribe(listener, this.#records.values());
  }

  acknowledge(lease: LeaseId, sequence: number): Promise<void> {
    return this.#turns.run(lease, async () => {
      const record = this.#records.get(lease);
      if (record === undefined || !this.#reports.acknowledge(record, sequence)) return;
      if (!record.ended || sequence < record.sequence) return;
      this.#records.delete(lease);
      await this.#leaving.letGo(record);
    });
  }

  /** A node left the cluster, and with it everything that ran there. */
  nodeGone(name: string): void {
    for (const record of this.#records.values()) {
      const { pod } = record;
      if (pod?.spec.nodeName !== name || record.ended || isOver(pod)) continue;
      void this.#turns.run(record.lease, () => this.#nodeLeft(record, pod, name));
    }
  }

  /** The end of a member that was over in time may be on its way by the other watch: it is looked for first. */
  async #nodeLeft(record: MemberRecord, pod: Pod, node: string): Promise<void> {
    const now = await this.#calls.read(pod).catch(() => undefined);
    if (now !== undefined && now.metadata.uid === pod.metadata.uid) this.#pods.put(now);
    if (record.ended || (record.pod !== undefined && isOver(record.pod))) return;
    this.#life.end(record, { kind: "lost", reason: `node ${node} is not in the cluster any more` });
  }

  async close(): Promise<void> {
    this.#life.close();
    this.#reports.close();
    clearInterval(this.#timer);
    this.#pods.close();
    await this.#turns.settled();
  }

  async #make(order: LeaseOrder): Promise<void> {
    const { lease } = order;
    try {
      this.#life.look(await this.#making.make(order));
    } catch (error) {
      const pod = this.#records.get(lease)?.pod;
      if (pod === undefined) this.#records.delete(lease);
      const verdict = verdictFor(error);
      if (verdict === undefined) throw error;
      if (verdict.kind === "lost") await sleep(newsMs);
      // It cannot be made here: what was made of it goes, and that is told.
      if (pod !== undefined) return this.#removal.remove(lease, pod, { signal: "SIGKILL", graceMs: 0, verdict });
      const bootId = this.#ports.inventory().view(order.node)?.facts.bootId ?? "";
      this.#life.end(this.#records.add(new MemberRecord(lease)), verdict, undefined, bootId);
    }
  }

  async #release(record: MemberRecord, pod: Pod): Promise<void> {
    const meeting = this.#gangs.meetingOf(record);
    if (meeting.kind === "lost") {
      return this.#removal.remove(record.lease, pod, { signal: "SIGKILL", graceMs: 0, verdict: meeting });
    }
    record.releaseWanted = meeting.kind === "awaited";
    if (meeting.kind === "known") await this.#holding.letGo(record, meeting.master);
  }

  #changed(record: MemberRecord): void {
    this.#watchers.call(record.lease);
    for (const lease of this.#gangs.metAt(record)) {
      this.release(lease).catch((error: Error) => {
        this.#ports.warn(`${lease}: ${error.message}`);
        const waiting = this.#records.get(lease);
        if (waiting?.releaseWanted) this.#waiting.add(waiting);
      });
    }
  }

  #recallEnds(): void {
    for (const record of this.#records.recallEnds()) this.#reports.tell(record, 0);
  }

  #look(): void {
    this.#waiting.look();
    this.#leaving.look();
  }
}
