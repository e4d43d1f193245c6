import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { logSealFor, sentKeys } from "@tessera/content";
import { type HealthFinding, type JobId, type LeaseId, type NodeFacts, parseLeaseId, type Report } from "@tessera/core";
import {
  bootId,
  type Capabilities,
  type CheckAsk,
  type CheckResult,
  type Clock,
  type Engine,
  type EngineLease,
  type Entry,
  type EntryAsk,
  type FileContent,
  type FileEntry,
  type JobFolder,
  type LeaseOrder,
  type LogLine,
  type LogQuery,
  type StopOrder,
  systemClock,
  type Telemetry,
} from "@tessera/engine";
import { readLog } from "@tessera/engine/log";
import { openEntry, readPorts } from "./entry/client.ts";
import { listFiles, readLiveFile } from "./files/live.ts";
import { Checks } from "./health/checks.ts";
import { Counters } from "./health/counters.ts";
import { HealthWatch } from "./health/watch.ts";
import { engineName } from "./inventory/machine.ts";
import { PresentedNodes } from "./inventory/presented.ts";
import { replaceWhole, syncFolder } from "./lease/durable.ts";
import { passEpoch } from "./lease/epochs.ts";
import { leaseFile, type StateFolder } from "./lease/folder.ts";
import { Follower } from "./lease/follow.ts";
import { Housekeeping } from "./lease/housekeeping.ts";
import { Leases } from "./lease/leases.ts";
import { isFileName, safeName } from "./lease/name.ts";
import type { LeaseRecord } from "./lease/record.ts";
import { refusalOf } from "./lease/refusal.ts";
import { usualKeep } from "./lease/retention.ts";
import { topmost } from "./limit/hierarchies.ts";
import type { Machine } from "./limit/machine.ts";
import { Networks } from "./limit/network/networks.ts";
import { type Ground, gapsOf, planRun } from "./limit/plan.ts";
import { Tenancy } from "./limit/tenancy.ts";
import type { LocalEngineOptions } from "./options.ts";
import { FullLoads } from "./part/full-load.ts";
import { startSupervisor } from "./supervise/start.ts";
import { HandsOff } from "./telemetry/hands-off.ts";
import { Holdings, touchesDevices } from "./telemetry/holdings.ts";
import { runNvidiaSmi } from "./telemetry/nvidia-smi.ts";
import { ownerOf } from "./telemetry/process-usage.ts";
import { gpuSources } from "./telemetry/sources.ts";
import { Telemeter } from "./telemetry/telemeter.ts";

const pruneEveryMs = 60 * 60 * 1000;

/** The port, joined from its parts; opened by `openLocalEngine`. */
export class LocalEngine implements Engine {
  readonly name = engineName;
  readonly #options: LocalEngineOptions;
  readonly #state: StateFolder;
  readonly #machine: Machine;
  readonly #clock: Clock;
  readonly #bootId = bootId();
  readonly #hidden: readonly string[];
  readonly #nodes: PresentedNodes;
  readonly #tenancy: Tenancy;
  readonly #leases: Leases;
  readonly #networks: Networks;
  readonly #housekeeping: Housekeeping;
  readonly #follower: Follower;
  readonly #holdings = new Holdings();
  readonly #telemeter: Telemeter;
  readonly #handsOff: HandsOff;
  readonly #health: HealthWatch;
  readonly #checks: Checks;
  #pruning: NodeJS.Timeout | undefined;

  constructor(options: LocalEngineOptions, state: StateFolder, machine: Machine) {
    this.#options = options;
    this.#state = state;
    this.#machine = machine;
    this.#clock = options.clock ?? systemClock;
    const { content, hide = [] } = options;
    this.#hidden = topmost([state.root, ...(content === undefined ? [] : [content]), ...hide]);
    this.#nodes = new PresentedNodes(options, machine);
    this.#tenancy = new Tenancy(state.tenants, machine, options);
    this.#networks = new Networks(state, this.#bootId, machine.network, async () =>
      (await this.#nodes.all()).map(({ name }) => name),
    );
    this.#telemeter = new Telemeter(gpuSources(options.dcgm, new FullLoads(join(state.root, "gpus"), this.#bootId)));
    this.#handsOff = new HandsOff(join(state.root, "gpus"), () => void this.#telemeter.letGo());
    this.#checks = new Checks(options.checks);
    this.#health = new HealthWatch({
      ...(options.kernelLog !== undefined && { kernelLog: options.kernelLog }),
      ...(options.virtual === undefined && { counters: new Counters(runNvidiaSmi) }),
      ...{ memory: join(state.root, "kernel-log.json"), bootId: this.#bootId, clock: this.#clock },
      nodes: () => this.#nodes.all(),
      addresses: () => this.#nodes.addresses(),
      leaseOf: (pid) => this.#leaseOf(pid),
    });
    this.#leases = new Leases(state);
    const scene = { state, leases: this.#leases, networks: this.#networks, bootId: this.#bootId };
    const keep = { ...usualKeep, ...options.keep };
    this.#housekeeping = new Housekeeping({ ...scene, machine, clock: this.#clock, keep });
    const beforeEnd = () => this.#health.look();
    this.#follower = new Follower({ ...scene, housekeeping: this.#housekeeping, beforeEnd });
  }

  get capabilities(): Capabilities {
    return {
      images: false,
      isolation: this.#nodes.isolation,
      workdir: true,
      code: this.#options.content !== undefined,
      mounts: this.#machine.means === "bwrap" || this.#machine.means === "unshare",
      gaps: gapsOf(this.#machine),
      ...this.#tenancy.oneTenant,
    };
  }

  /** Reads every lease that is not forgotten, then keeps watching them. */
  async adopt(): Promise<void> {
    await this.#tenancy.recall();
    this.#follower.watch();
    for await (const record of this.#leases.load()) {
      if ((await this.#leases.recall(record.id)) === undefined) this.#follower.lookSoon(record);
      else await this.#housekeeping.letGo(record); // an earlier engine was killed while it did
    }
    await this.#networks.sweep((lease) => this.#leases.get(lease as LeaseId)?.hasEnded === false);
    void this.#housekeeping.sweepServers();
    this.#follower.lookRegularly();
    this.#pruning = setInterval(() => void this.#housekeeping.prune(), pruneEveryMs).unref();
    void this.#housekeeping.prune();
  }

  inventory(): Promise<readonly NodeFacts[]> {
    return this.#nodes.look();
  }

  async telemetry(): Promise<Telemetry> {
    const nodes = await this.#nodes.all();
    const { held, isBeingCut } = await this.#holdings.of(this.#leases.all());
    const isReal = nodes.some(({ virtual }) => !virtual);
    const quiet = isReal && (isBeingCut || (await this.#handsOff.isAsked()));
    return this.#telemeter.read(nodes, held, this.#clock.now(), quiet);
  }

  onHealth(listener: (finding: HealthFinding) => void): void {
    this.#health.start(listener);
  }

  async check(name: string, ask: CheckAsk): Promise<readonly CheckResult[]> {
    const node = await this.#nodes.find(name);
    if (node === undefined) throw new Error(`there is no node ${name}`);
    const { held } = await this.#holdings.of(this.#leases.all());
    return this.#checks.run(node, ask, new Set(held.flatMap(({ gpuUuids }) => gpuUuids)));
  }

  async bind(order: LeaseOrder): Promise<void> {
    await passEpoch(this.#state.epochs, order.lease, order.epoch);
    await this.#checks.yieldTo(order.gpuUuids);
    await this.#leases.inTurn(order.lease, async (known) => {
      const record = known ?? (await this.#leases.create(order.lease));
      if (record.hasEnded || (await record.claim()) !== undefined) return this.#follower.tellAgain(record);
      if (record.supervised) return; // on its way
      const reason = await this.#start(record, order);
      if (reason !== undefined) await this.#follower.endUnclaimed(record, { kind: "refused", reason });
    });
  }

  async release(lease: LeaseId): Promise<void> {
    await this.#leases.inTurn(lease, async (record) => {
      if (record === undefined || record.hasEnded) return;
      await this.#networks.openPort(lease);
      await writeFile(join(record.folder, leaseFile.release), "", { mode: 0o600 });
      await this.#follower.poke(record);
    });
  }

  async stop(lease: LeaseId, how: StopOrder): Promise<void> {
    await this.#leases.inTurn(lease, async (known) => {
      const record = known ?? (await this.#leases.create(lease));
      if (record.hasEnded) return this.#leases.get(lease) ? undefined : this.#follower.tellAgain(record);
      const never = { kind: "exited", ran: false, reason: "stopped before it was started" } as const;
      if ((await record.claim()) === undefined && (await this.#follower.endUnclaimed(record, never))) return;
      record.stopAsked = true;
      await replaceWhole(join(record.folder, leaseFile.stop), JSON.stringify(how));
      await this.#follower.poke(record);
    });
  }

  async list(): Promise<readonly EngineLease[]> {
    return [...this.#leases.all()].map(({ id, state, sequence }) => ({ lease: id, state, sequence }));
  }

  subscribe(listener: (report: Report) => void): void {
    this.#follower.subscribe(listener);
  }

  async acknowledge(lease: LeaseId, sequence: number): Promise<void> {
    await this.#leases.inTurn(lease, async (record) => {
      if (record === undefined || sequence <= record.acknowledged) return;
      record.acknowledged = sequence;
      if (record.hasEnded && sequence >= record.sequence) await this.#housekeeping.forget(record);
      else await writeFile(join(record.folder, leaseFile.acknowledged), String(sequence));
    });
  }

  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine> {
    const ended = this.#leases.get(lease)?.ended ?? AbortSignal.abort();
    const { keys } = this.#options;
    const sealFor = keys && ((start: Buffer) => logSealFor(start, (id) => keys.logKey(id), lease));
    return readLog(join(this.#state.logs, safeName(lease)), parseLeaseId(lease)?.rank ?? 0, query, ended, sealFor);
  }

  open(lease: LeaseId, ask: EntryAsk): Promise<Entry> {
    return openEntry(join(this.#state.leases, safeName(lease)), ask);
  }

  ports(lease: LeaseId): Promise<readonly number[]> {
    return readPorts(join(this.#state.leases, safeName(lease)));
  }

  files(lease: LeaseId, folder: JobFolder): AsyncIterable<FileEntry> {
    return listFiles(this.#state, this.#memberOf(lease), folder);
  }

  readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined> {
    return readLiveFile(this.#state, this.#memberOf(lease), folder, path, start);
  }

  sweep(isLive: (job: JobId) => boolean): Promise<void> {
    return this.#housekeeping.sweepJobs(isLive);
  }

  async close(): Promise<void> {
    clearInterval(this.#pruning);
    await this.#follower.close();
    this.#health.close();
    await this.#checks.close();
    this.#handsOff.close();
    await this.#telemeter.letGo();
    await this.#networks.close();
  }

  /** Starts the supervisor of a member, or says why the member cannot run here. */
  async #start(record: LeaseRecord, order: LeaseOrder): Promise<string | undefined> {
    const premises = { machine: this.#machine, nodes: this.#nodes, tenancy: this.#tenancy };
    const reason = await refusalOf(order, { ...premises, networks: this.#networks, hidden: this.#hidden });
    if (reason !== undefined) return reason;
    const network = await this.#networks.join(order).catch((error: Error) => error.message);
    if (typeof network === "string") return `the network of the member cannot be made: ${network}`;
    const { secrets, ...kept } = order;
    const keys = await this.#options.keys?.of(order.tenant);
    const sheet = planRun(kept, { ...(await this.#groundFor(order.tenant)), network });
    await mkdir(sheet.logFolder, { recursive: true, mode: 0o700 });
    await replaceWhole(join(record.folder, leaseFile.order), JSON.stringify(sheet));
    await syncFolder(this.#state.leases);
    if (touchesDevices(sheet)) await this.#telemeter.letGo();
    record.supervised = true;
    await startSupervisor(
      record.folder,
      { secrets, ...(keys && { keys: sentKeys(keys) }) },
      this.#machine.supervisorGroup,
      (complaint) => this.#follower.supervisorEnded(record, complaint),
    ).catch((error) => {
      record.supervised = false;
      throw new Error(`the supervisor of ${order.lease} cannot be started`, { cause: error });
    });
    return undefined;
  }

  async #groundFor(tenant: string): Promise<Omit<Ground, "network">> {
    const { content, logBytesMax = 64 << 20, logFilesMax = 8 } = this.#options;
    return {
      state: this.#state,
      bootId: this.#bootId,
      machine: this.#machine,
      gpuDevices: this.#nodes.gpuDevices,
      hidden: this.#hidden.filter((folder) => existsSync(folder)),
      ...(content === undefined ? {} : { contentFolder: content }),
      ...{ logBytesMax, logFilesMax },
      ...(await this.#tenancy.userOf(tenant)),
    };
  }

  async #leaseOf(pid: number): Promise<LeaseId | undefined> {
    const { held } = await this.#holdings.of(this.#leases.all());
    const mark = await ownerOf(pid, new Set(held.map((each) => each.mark)));
    return held.find((each) => each.mark === mark)?.lease;
  }

  #memberOf(lease: LeaseId) {
    const job = parseLeaseId(lease)?.job ?? "";
    if (!isFileName(job)) throw new Error(`"${lease}" is not the id of a lease`);
    return { lease: safeName(lease), job, asRoot: this.#machine.isRoot };
  }
}
