import { existsSync, type FSWatcher, watch } from "node:fs";
import { chmod, mkdir, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type HealthFinding,
  type JobId,
  type LeaseId,
  type NodeFacts,
  parseLeaseId,
  type Report,
  type ReportWhat,
} from "@tessera/core";
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
  upMs,
} from "@tessera/engine";
import { readLog } from "@tessera/engine/log";
import { openEntry, readPorts } from "./entry/client.ts";
import { listFiles, readLiveFile } from "./files/live.ts";
import { Addresses } from "./health/addresses.ts";
import { Checks } from "./health/checks.ts";
import { Counters } from "./health/counters.ts";
import { HealthWatch } from "./health/watch.ts";
import { isolationOf } from "./inventory/isolation.ts";
import { describeFleet, engineName } from "./inventory/machine.ts";
import { findGpus } from "./inventory/nvidia.ts";
import { parseVirtual } from "./inventory/virtual.ts";
import { pruneCaches } from "./lease/cache.ts";
import { codeOf, createWhole, replaceWhole, syncFolder } from "./lease/durable.ts";
import { passEpoch } from "./lease/epochs.ts";
import {
  type Claim,
  leaseFile,
  readIfThere,
  readReports,
  reportBytes,
  type StateFolder,
  stateFolder,
  takeClaim,
} from "./lease/folder.ts";
import { LeaseRecord } from "./lease/record.ts";
import { type Keep, prune, removeTree, sweepJobs, usualKeep } from "./lease/retention.ts";
import { topmost } from "./limit/hierarchies.ts";
import { examineMachine, type Machine } from "./limit/machine.ts";
import { mountFault } from "./limit/mounts.ts";
import { Networks } from "./limit/network/networks.ts";
import { type Ground, gapsOf, gpuFolder, planRun } from "./limit/plan.ts";
import { oneUser, onlyTenant, takeOnlyTenant, type UserRange, userOfTenant } from "./limit/tenants.ts";
import { mpsFolder } from "./part/mps/place.ts";
import { sweepServers } from "./part/mps/server.ts";
import { isAlive, sendSignal } from "./supervise/processes.ts";
import type { RunSheet } from "./supervise/sheet.ts";
import { startSupervisor } from "./supervise/start.ts";
import { endTree, removeGroups } from "./supervise/tree.ts";
import { HandsOff } from "./telemetry/hands-off.ts";
import { Holdings, touchesDevices } from "./telemetry/holdings.ts";
import { runNvidiaSmi } from "./telemetry/nvidia-smi.ts";
import { ownerOf } from "./telemetry/process-usage.ts";
import { dcgmFault, gpuSources } from "./telemetry/sources.ts";
import { Telemeter } from "./telemetry/telemeter.ts";

export interface LocalEngineOptions {
  /** Where the engine keeps what it must not forget; one folder per machine. */
  readonly dir: string;
  /** The folder of `@tessera/content`, from which code is unpacked and in which results are kept. */
  readonly content?: string;
  /** Folders that no job may see, such as the data folder of the control plane; those of the engine are hidden anyway. One may not be there yet. */
  readonly hide?: readonly string[];
  readonly clock?: Clock;
  /** Declared nodes, as `parseVirtual` reads them, instead of what the machine has. */
  readonly virtual?: string;
  readonly nodeName?: string;
  /** How much of the output of each member is kept, in how many files. */
  readonly logBytesMax?: number;
  readonly logFilesMax?: number;
  /** The user ids that tenants get when this process is root; they must belong to no other user. */
  readonly tenantUsers?: UserRange;
  /** The owner lets tenants run as one user where there is no right to become another. */
  readonly tenantsShareUser?: boolean;
  /** The devices behind the GPUs, by UUID, where they are not the ones that `nvidia-smi` names. */
  readonly gpuDevices?: { readonly [uuid: string]: string };
  readonly keep?: Partial<Keep>;
  /** A folder of further checks of GPUs, with thresholds: see `checks/`. */
  readonly checks?: string;
  /** The address of a DCGM exporter on this machine, which is then asked what the GPUs do. */
  readonly dcgm?: string;
  /** Where the kernel's messages are read instead of /dev/kmsg, such as a log that is replayed. */
  readonly kernelLog?: string;
}

/** GPUs that are only declared can be shared in every way. */
const virtualIsolation: Capabilities["isolation"] = ["whole", "mig", "mps", "timeslice"];

/** A hint can be missed; a report is then seen this much later. */
const lookEveryMs = 1_000;
const pruneEveryMs = 60 * 60 * 1000;

/** Opens the engine that runs members as processes of this machine, and takes up what an earlier one left running. */
export async function openLocalEngine(
  options: LocalEngineOptions,
  examine: (stateFolder: string) => Promise<Machine> = examineMachine,
): Promise<Engine> {
  if (options.virtual !== undefined) parseVirtual(options.virtual);
  const fault = options.dcgm === undefined ? undefined : dcgmFault(options.dcgm);
  if (fault !== undefined) throw new Error(fault);
  const state = stateFolder(await realFolder(options.dir));
  for (const folder of Object.values(state)) await mkdir(folder, { recursive: true, mode: 0o700 });
  const machine = await examine(state.root);
  // Without a mount namespace the jobs of other users must pass through to their own folders, and see no names there.
  const passable = machine.means === "user" ? 0o711 : 0o700;
  for (const folder of [state.root, state.work, state.jobs, state.doors, state.cache]) await chmod(folder, passable);
  const content = options.content === undefined ? {} : { content: await realFolder(options.content) };
  const hide = await Promise.all((options.hide ?? []).map((folder) => realpath(folder).catch(() => folder)));
  for (const folder of machine.means === "user" ? hide : []) {
    if (state.root.startsWith(`${folder}/`)) await chmod(folder, passable);
  }
  const engine = new LocalEngine({ ...options, ...content, hide }, state, machine);
  await engine.adopt();
  return engine;
}

class LocalEngine implements Engine {
  readonly name = engineName;
  readonly #capabilities: Capabilities;
  /** The only tenant, where there can be no other. */
  #only: string | undefined;
  readonly #options: LocalEngineOptions;
  readonly #state: StateFolder;
  readonly #machine: Machine;
  #gpuDevices: { readonly [uuid: string]: string };
  readonly #clock: Clock;
  readonly #hidden: readonly string[];
  readonly #bootId = bootId();
  readonly #log: { readonly logBytesMax: number; readonly logFilesMax: number };
  readonly #leases = new Map<LeaseId, LeaseRecord>();
  readonly #turns = new Map<LeaseId, Promise<void>>();
  readonly #networks: Networks;
  readonly #holdings = new Holdings();
  readonly #telemeter: Telemeter;
  readonly #handsOff: HandsOff;
  readonly #addresses = new Addresses();
  readonly #health: HealthWatch;
  readonly #checks: Checks;
  #nodes: readonly NodeFacts[] | undefined;
  /** How GPUs can be shared here; known once they were looked at. */
  #isolation: Capabilities["isolation"] = ["whole"];
  #listener: ((report: Report) => void) | undefined;
  #watcher: FSWatcher | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #closed = false;

  constructor(options: LocalEngineOptions, state: StateFolder, machine: Machine) {
    this.#options = options;
    const code = options.content !== undefined;
    const mounts = machine.means === "bwrap" || machine.means === "unshare";
    this.#capabilities = { images: false, isolation: ["whole"], workdir: true, code, mounts, gaps: gapsOf(machine) };
    this.#machine = machine;
    this.#gpuDevices = options.gpuDevices ?? {};
    this.#state = state;
    this.#networks = new Networks(state, this.#bootId, machine.network, async () =>
      (this.#nodes ?? (await this.inventory())).map(({ name }) => name),
    );
    this.#clock = options.clock ?? systemClock;
    this.#telemeter = new Telemeter(gpuSources(options.dcgm));
    this.#handsOff = new HandsOff(join(state.root, "gpus"), () => void this.#telemeter.letGo());
    const { content, hide = [] } = options;
    this.#hidden = topmost([state.root, ...(content === undefined ? [] : [content]), ...hide]);
    this.#checks = new Checks(options.checks);
    this.#health = new HealthWatch({
      ...(options.kernelLog !== undefined && { kernelLog: options.kernelLog }),
      ...(options.virtual === undefined && { counters: new Counters(runNvidiaSmi) }),
      ...{ memory: join(state.root, "kernel-log.json"), bootId: this.#bootId, clock: this.#clock },
      nodes: async () => this.#nodes ?? (await this.inventory()),
      addresses: async () => {
        if (this.#nodes === undefined) await this.inventory();
        return this.#addresses.uuids;
      },
      leaseOf: (pid) => this.#leaseOf(pid),
    });
    this.#log = { logBytesMax: options.logBytesMax ?? 64 << 20, logFilesMax: options.logFilesMax ?? 8 };
  }

  get capabilities(): Capabilities {
    if (!this.#hasOneTenant) return { ...this.#capabilities, isolation: this.#isolation };
    const oneTenant = { ...oneUser, ...(this.#only === undefined ? {} : { tenant: this.#only }) };
    return { ...this.#capabilities, isolation: this.#isolation, oneTenant };
  }

  get #hasOneTenant(): boolean {
    return !this.#machine.isRoot && this.#options.tenantsShareUser !== true;
  }

  /** Reads every lease that is not forgotten, then keeps watching them. */
  async adopt(): Promise<void> {
    this.#only = await onlyTenant(this.#state.tenants);
    this.#watch();
    for (const name of await readdir(this.#state.leases)) {
      const record = await this.#load(name as LeaseId);
      this.#leases.set(record.id, record);
      if ((await this.#recall(record.id)) === undefined) this.#lookSoon(record);
      else await this.#letGo(record); // an earlier engine was killed while it did
    }
    await this.#networks.sweep((lease) => this.#leases.get(lease as LeaseId)?.hasEnded === false);
    void this.#sweepServers();
    this.#every(lookEveryMs, () => {
      for (const record of this.#leases.values()) if (!record.hasEnded) this.#lookSoon(record);
    });
    this.#every(pruneEveryMs, () => void this.#prune());
    void this.#prune();
  }

  async inventory(): Promise<readonly NodeFacts[]> {
    const found = this.#options.virtual === undefined ? await findGpus() : [];
    this.#gpuDevices = this.#options.gpuDevices ?? Object.fromEntries(found.map(({ uuid, device }) => [uuid, device]));
    this.#isolation = found.length === 0 ? virtualIsolation : isolationOf(found, this.#machine);
    this.#nodes = describeFleet(found, this.#options);
    if (found.length > 0) this.#addresses.note(found);
    else this.#addresses.declare(this.#nodes);
    return this.#nodes;
  }

  async telemetry(): Promise<Telemetry> {
    const nodes = this.#nodes ?? (await this.inventory());
    const { held, isBeingCut } = await this.#holdings.of(this.#leases.values());
    const isReal = nodes.some(({ virtual }) => !virtual);
    const quiet = isReal && (isBeingCut || (await this.#handsOff.isAsked()));
    return this.#telemeter.read(nodes, held, this.#clock.now(), quiet);
  }

  onHealth(listener: (finding: HealthFinding) => void): void {
    this.#health.start(listener);
  }

  async check(name: string, ask: CheckAsk): Promise<readonly CheckResult[]> {
    const node = (this.#nodes ?? (await this.inventory())).find((each) => each.name === name);
    if (node === undefined) throw new Error(`there is no node ${name}`);
    const { held } = await this.#holdings.of(this.#leases.values());
    return this.#checks.run(node, ask, new Set(held.flatMap(({ gpuUuids }) => gpuUuids)));
  }

  async bind(order: LeaseOrder): Promise<void> {
    await passEpoch(this.#state.epochs, order.lease, order.epoch);
    await this.#checks.yieldTo(order.gpuUuids);
    await this.#inTurn(order.lease, async (known) => {
      const record = known ?? (await this.#create(order.lease));
      if (record.hasEnded || (await record.claim()) !== undefined) return this.#tellAgain(record);
      if (record.supervised) return; // on its way
      const reason = await this.#refusalOf(order);
      if (reason !== undefined) {
        await this.#endUnclaimed(record, { kind: "refused", reason });
        return;
      }
      const network = await this.#networks.join(order).catch((error: Error) => error.message);
      if (typeof network === "string") {
        const reason = `the network of the member cannot be made: ${network}`;
        await this.#endUnclaimed(record, { kind: "refused", reason });
        return;
      }
      const { secrets, ...kept } = order;
      const sheet = planRun(kept, { ...(await this.#groundFor(order.tenant)), network });
      await mkdir(sheet.logFolder, { recursive: true, mode: 0o700 });
      await replaceWhole(join(record.folder, leaseFile.order), JSON.stringify(sheet));
      await syncFolder(this.#state.leases);
      if (touchesDevices(sheet)) await this.#telemeter.letGo();
      record.supervised = true;
      await startSupervisor(record.folder, secrets, this.#machine.supervisorGroup, (complaint) =>
        this.#supervisorEnded(record, complaint),
      ).catch((error) => {
        record.supervised = false;
        throw new Error(`the supervisor of ${order.lease} cannot be started`, { cause: error });
      });
    });
  }

  async release(lease: LeaseId): Promise<void> {
    await this.#inTurn(lease, async (record) => {
      if (record === undefined || record.hasEnded) return;
      await this.#networks.openPort(lease);
      await writeFile(join(record.folder, leaseFile.release), "", { mode: 0o600 });
      await this.#poke(record);
    });
  }

  async stop(lease: LeaseId, how: StopOrder): Promise<void> {
    await this.#inTurn(lease, async (known) => {
      const record = known ?? (await this.#create(lease));
      if (record.hasEnded) return this.#leases.has(lease) ? undefined : this.#tellAgain(record);
      const never = { kind: "exited", ran: false, reason: "stopped before it was started" } as const;
      if ((await record.claim()) === undefined && (await this.#endUnclaimed(record, never))) return;
      record.stopAsked = true;
      await replaceWhole(join(record.folder, leaseFile.stop), JSON.stringify(how));
      await this.#poke(record);
    });
  }

  async list(): Promise<readonly EngineLease[]> {
    return [...this.#leases.values()].map(({ id, state, sequence }) => ({ lease: id, state, sequence }));
  }

  subscribe(listener: (report: Report) => void): void {
    this.#listener = listener;
    for (const record of this.#leases.values()) {
      this.#tell(record.unacknowledged());
    }
  }

  async acknowledge(lease: LeaseId, sequence: number): Promise<void> {
    await this.#inTurn(lease, async (record) => {
      if (record === undefined || sequence <= record.acknowledged) return;
      record.acknowledged = sequence;
      if (record.hasEnded && sequence >= record.sequence) await this.#forget(record);
      else await writeFile(join(record.folder, leaseFile.acknowledged), String(sequence));
    });
  }

  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine> {
    const ended = this.#leases.get(lease)?.ended ?? AbortSignal.abort();
    return readLog(join(this.#state.logs, safeName(lease)), parseLeaseId(lease)?.rank ?? 0, query, ended);
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

  async #leaseOf(pid: number): Promise<LeaseId | undefined> {
    const { held } = await this.#holdings.of(this.#leases.values());
    const mark = await ownerOf(pid, new Set(held.map((each) => each.mark)));
    return held.find((each) => each.mark === mark)?.lease;
  }

  #memberOf(lease: LeaseId) {
    const job = parseLeaseId(lease)?.job ?? "";
    if (!isFileName(job)) throw new Error(`"${lease}" is not the id of a lease`);
    return { lease: safeName(lease), job, asRoot: this.#machine.isRoot };
  }

  async sweep(isLive: (job: JobId) => boolean): Promise<void> {
    const keep = { ...usualKeep, ...this.#options.keep };
    await sweepJobs(this.#state, keep.checkpointMs, this.#ageFrom(), (job) => isLive(job as JobId));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#watcher?.close();
    this.#listener = undefined;
    await Promise.allSettled(this.#turns.values());
    this.#health.close();
    await this.#checks.close();
    this.#handsOff.close();
    await this.#telemeter.letGo();
    await this.#networks.close();
  }

  /** Runs what concerns one lease one after the other, so that no two calls see it half changed. */
  async #inTurn(lease: LeaseId, act: (record: LeaseRecord | undefined) => Promise<void>): Promise<void> {
    safeName(lease);
    const turn = (this.#turns.get(lease) ?? Promise.resolve())
      .catch(() => {})
      .then(async () => act(this.#leases.get(lease) ?? (await this.#recall(lease))));
    this.#turns.set(lease, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(lease) === turn) this.#turns.delete(lease);
    }
  }

  /** A lease that was forgotten is remembered by how it ended: it must not run again [S34]. */
  async #recall(lease: LeaseId): Promise<LeaseRecord | undefined> {
    const text = await readIfThere(join(this.#state.ended, `${lease}.json`));
    if (text === undefined) return undefined;
    const record = new LeaseRecord(lease, join(this.#state.leases, lease));
    record.take([JSON.parse(text) as Report]);
    record.acknowledged = record.sequence;
    return record;
  }

  async #create(lease: LeaseId): Promise<LeaseRecord> {
    const record = new LeaseRecord(lease, join(this.#state.leases, lease));
    await mkdir(record.folder, { recursive: true, mode: 0o700 });
    this.#leases.set(lease, record);
    return record;
  }

  async #load(lease: LeaseId): Promise<LeaseRecord> {
    const record = new LeaseRecord(lease, join(this.#state.leases, lease));
    record.take(await readReports(record.folder));
    record.acknowledged = Number(await readIfThere(join(record.folder, leaseFile.acknowledged))) || 0;
    record.stopAsked = (await readIfThere(join(record.folder, leaseFile.stop))) !== undefined;
    return record;
  }

  async #groundFor(tenant: string): Promise<Omit<Ground, "network">> {
    const ground = {
      state: this.#state,
      bootId: this.#bootId,
      machine: this.#machine,
      gpuDevices: this.#gpuDevices,
      hidden: this.#hidden.filter((folder) => existsSync(folder)),
      ...(this.#options.content === undefined ? {} : { contentFolder: this.#options.content }),
      ...this.#log,
    };
    if (!this.#machine.isRoot) return ground;
    const range = this.#options.tenantUsers ?? { first: 200_000, count: 65_536 };
    return { ...ground, user: await userOfTenant(this.#state.tenants, tenant, range) };
  }

  async #refusalOf(order: LeaseOrder): Promise<string | undefined> {
    if (this.#machine.isRoot && this.#machine.means === "nothing") {
      return "this server runs as root and cannot run jobs as another user: install setpriv (util-linux), or start it unprivileged";
    }
    const node = await this.#findNode(order.node);
    if (node === undefined) return `node ${order.node} is not presented by this engine`;
    const missing = order.gpuUuids.find((uuid) => !node.gpus.some((gpu) => gpu.uuid === uuid));
    if (missing !== undefined) return `GPU ${missing} is not on node ${order.node}`;
    if (!isFileName(order.tenant)) return `"${order.tenant}" cannot be the id of a tenant`;
    if (this.#hasOneTenant) {
      this.#only ??= await takeOnlyTenant(this.#state.tenants, order.tenant);
      if (this.#only !== order.tenant) return `another tenant runs jobs here, and ${oneUser.why}; ${oneUser.hint}`;
    }
    const unjoined = this.#networks.refusalOf(order);
    if (unjoined !== undefined) return unjoined;
    const unmountable = mountFault(this.#machine.means, this.#hidden, order);
    if (unmountable !== undefined) return unmountable;
    if (!isFileName(order.job)) return `"${order.job}" cannot be the id of a job`;
    if (order.image !== undefined) return `image ${order.image}: this engine runs commands, not images`;
    for (const [field, script] of Object.entries({ setup: order.setup ?? "", run: order.run })) {
      if (Buffer.byteLength(script) > scriptBytesMax) {
        return `${field} is longer than the ${scriptBytesMax} bytes that a shell can be given; put it into a file`;
      }
    }
    return undefined;
  }

  async #findNode(name: string): Promise<NodeFacts | undefined> {
    return (this.#nodes ?? (await this.inventory())).find((node) => node.name === name);
  }

  /** Ends a lease without a supervisor, for good. False when a supervisor was faster: then that one must be told. */
  async #endUnclaimed(record: LeaseRecord, what: ReportWhat): Promise<boolean> {
    if (!(await takeClaim(record.folder, { by: "engine", final: this.#reportOf(record, what) }))) return false;
    await syncFolder(this.#state.leases);
    this.#tell(record.take(await readReports(record.folder)));
    return true;
  }

  #reportOf(record: LeaseRecord, what: ReportWhat): Report {
    const at = Math.max(Date.now(), record.reports.at(-1)?.at ?? 0);
    return { lease: record.id, sequence: record.sequence + 1, bootId: this.#bootId, at, upMs: upMs(), what };
  }

  /** Asked for something that happened long ago, the control plane does not know of it: it may have been restored. */
  #tellAgain(record: LeaseRecord): void {
    this.#leases.set(record.id, record);
    record.acknowledged = 0;
    this.#tell(record.reports);
  }

  #tell(reports: readonly Report[]): void {
    for (const report of reports) this.#listener?.(report);
  }

  /** Files bear times of the machine's clock. Whichever way that was set, nothing is removed before its time. */
  #ageFrom(): number {
    return Math.min(this.#clock.now(), Date.now());
  }

  /** Tells the supervisor to look at its folder. Only a claimed one listens; the others look when they have claimed. */
  async #poke(record: LeaseRecord): Promise<void> {
    const claim = await record.claim();
    if (claim?.by === "supervisor" && this.#isSupervised(claim)) sendSignal(claim.pid, "SIGUSR2");
  }

  #isSupervised(claim: Claim): boolean {
    return claim.by === "supervisor" && claim.bootId === this.#bootId && isAlive(claim.pid, claim.startedAt);
  }

  #supervisorEnded(record: LeaseRecord, complaint: string): void {
    record.supervised = false;
    this.#inTurn(record.id, async () => {
      if (this.#closed) return;
      await this.#look(record);
      if (record.hasEnded || (await record.claim()) !== undefined) return;
      const reason = `its supervisor could not be started: ${complaint.slice(-500) || "it said nothing"}`;
      await this.#endUnclaimed(record, { kind: "refused", reason });
    }).catch(() => {}); // it stays unclaimed: the next bind starts another
  }

  /** Reads what is new of a lease, and finds out whether anybody still answers for it. */
  async #look(record: LeaseRecord): Promise<void> {
    if (record.hasEnded) return;
    const claim = await record.claim();
    const answered = claim === undefined || this.#isSupervised(claim);
    // After the question whether it lives: its last words may have been written in between.
    const bytes = await reportBytes(record.folder);
    if (answered && bytes === record.bytesSeen) return;
    record.bytesSeen = bytes;
    const reports = await readReports(record.folder);
    // What brought it down is told first: a fault of the machine costs the job nothing.
    if (reports.at(-1)?.what.kind === "exited") await this.#health.look();
    this.#tell(record.take(reports));
    if (!answered && !record.hasEnded) await this.#endLost(record, claim);
  }

  /** Ends what a dead supervisor left behind, then says so. */
  async #endLost(record: LeaseRecord, claim: Claim): Promise<void> {
    const written = await readIfThere(join(record.folder, leaseFile.order));
    if (written === undefined) {
      this.#leases.delete(record.id); // another engine on this folder has seen it to its end
      return;
    }
    const restarted = claim.by === "supervisor" && claim.bootId !== this.#bootId;
    if (!restarted) {
      const sheet = JSON.parse(written) as RunSheet;
      await endTree({ mark: sheet.mark, groups: sheet.groups, contained: false });
      await endTree({ mark: sheet.mark, groups: [], contained: false });
      await removeGroups(sheet.groups);
      await this.#networks.leave(record.id);
      void this.#sweepServers();
    }
    const reason = restarted ? "the machine was restarted" : "its supervisor is gone; what it left behind was ended";
    const report = this.#reportOf(record, { kind: "lost", reason });
    await createWhole(join(record.folder, leaseFile.final), JSON.stringify(report));
    this.#tell(record.take(await readReports(record.folder)));
  }

  /** MPS servers outlive supervisors that were killed. What cannot be stopped now is, before its GPU is next taken. */
  async #sweepServers(): Promise<void> {
    const locks = gpuFolder(this.#state);
    const site = { folder: mpsFolder(locks), locks, leases: this.#state.leases, bootId: this.#bootId };
    await sweepServers({ ...site, machine: this.#machine }).catch(() => {});
  }

  /** Keeps how it ended and its log, and lets go of the rest. */
  async #forget(record: LeaseRecord): Promise<void> {
    await createWhole(join(this.#state.ended, `${record.id}.json`), JSON.stringify(record.reports.at(-1)));
    await this.#letGo(record);
  }

  async #letGo(record: LeaseRecord): Promise<void> {
    this.#leases.delete(record.id);
    await this.#networks.leave(record.id);
    // Away in one step. A supervisor that an earlier engine started and that is late would else find a folder of which
    // no more than the claim has been removed, take it, and run the member again (S16).
    const gone = join(this.#state.work, `${record.id}.gone`);
    await rename(record.folder, gone).catch(unlessMissing);
    await rm(join(this.#state.hints, record.id), { force: true });
    for (const left of [gone, join(this.#state.work, record.id), join(this.#state.doors, record.id)]) {
      await removeTree(left).catch(() => {}); // tried again when the engine prunes
    }
  }

  /** What cannot be removed now is tried again in an hour; it only takes room. */
  async #prune(): Promise<void> {
    const keep = { ...usualKeep, ...this.#options.keep };
    await prune(this.#state, keep, this.#ageFrom(), (lease) => this.#leases.has(lease as LeaseId)).catch(() => {});
    await pruneCaches(this.#state.cache, keep.cacheBytes, await this.#busyTenants()).catch(() => {});
  }

  /** Tenants with a member that may be reading its cache. */
  async #busyTenants(): Promise<ReadonlySet<string>> {
    const sheets = [...this.#leases.values()].map((record) => readIfThere(join(record.folder, leaseFile.order)));
    const written = (await Promise.all(sheets)).filter((sheet) => sheet !== undefined);
    return new Set(written.map((sheet) => (JSON.parse(sheet) as RunSheet).order.tenant));
  }

  #every(ms: number, act: () => void): void {
    this.#timers.push(setInterval(act, ms).unref());
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#state.hints, (_, name) => {
        const record = this.#leases.get(name as LeaseId);
        if (record !== undefined) this.#lookSoon(record);
      });
      this.#watcher.on("error", () => {});
      this.#watcher.unref();
    } catch {
      // No watch is left on this machine: reports are seen a second later.
    }
  }

  #lookSoon(record: LeaseRecord): void {
    if (this.#closed || record.lookAhead) return;
    record.lookAhead = true;
    this.#inTurn(record.id, async () => {
      record.lookAhead = false;
      if (!this.#closed) await this.#look(record);
    }).catch(() => {}); // whatever stood in the way, it is looked at again in a second
  }
}

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error;
}

/** The folder under its real name, because a mount namespace hides what lies there and not what a link calls it. */
async function realFolder(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  return realpath(dir);
}

/** The kernel takes no argument longer than 128 KiB. */
const scriptBytesMax = 128 * 1024 - 1;

/** A lease id names files; anything that could name another place is a bug of the caller. */
function safeName(lease: LeaseId): string {
  if (!isFileName(lease)) throw new Error(`"${lease}" cannot be the id of a lease`);
  return lease;
}

function isFileName(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/.test(id);
}
