import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { JobId, LeaseId, NodeFacts, NodeOffers, Report } from "@tessera/core";
import type {
  Capabilities,
  Engine,
  EngineLease,
  Entry,
  EntryAsk,
  FileContent,
  FileEntry,
  JobFolder,
  LeaseOrder,
  LogLine,
  LogQuery,
  StopOrder,
} from "@tessera/engine";
import { ApiClient } from "./api/client.ts";
import { readConfig } from "./api/config.ts";
import { paths } from "./api/paths.ts";
import { Epoch } from "./epoch.ts";
import { type Inside, openInside } from "./inside/inside.ts";
import { Inventory } from "./nodes/inventory.ts";
import type { KubernetesOptions } from "./open.ts";
import { Members } from "./pods/members.ts";
import { usualStartLimits } from "./pods/start-limits.ts";
import { LeaseStore } from "./pods/store.ts";
import type { KubernetesSettings } from "./settings.ts";
import { openWalls, type Walls } from "./walls/walls.ts";

/** An API server takes many calls at a time; this many keep one process of ours busy. */
const callsAtOnce = 64;
const pingMsMax = 5_000;

/** A cluster as an engine. Everything in here is in the cluster too, or can be lost. */
export class KubernetesEngine implements Engine {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly #client: ApiClient;
  readonly #store: LeaseStore;
  readonly #epoch: Epoch;
  readonly #walls: Walls;
  readonly #inventory: Inventory;
  readonly #members: Members;
  readonly #inside: Inside;

  constructor(options: KubernetesOptions) {
    const { name, settings, dir, content, keys, clock, warn } = options;
    this.name = name;
    const offers = offersOf(settings);
    this.capabilities = { ...offers, callsAtOnce };
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const client = new ApiClient(readConfig(options.kubeconfig, settings.context));
    this.#client = client;
    this.#store = new LeaseStore(join(dir, "leases.jsonl"));
    this.#epoch = new Epoch(client, name);
    const nodes = () => this.#inventory.nodes();
    const gpus = () => this.#inventory.gpuSources();
    const pods = () => [...this.#members.pods(), ...this.#inventory.foreignPods()];
    this.#walls = openWalls({ name, client, settings, nodes, pods, gpus, warn });
    this.#members = new Members({
      engine: name,
      instance: randomUUID(),
      client,
      settings,
      limits: { ...usualStartLimits, ...options.startLimits },
      store: this.#store,
      walls: this.#walls,
      inventory: () => this.#inventory,
      inside: () => this.#inside,
      clock,
      warn,
    });
    this.#inside = openInside({
      name,
      client,
      settings,
      members: this.#members,
      dir,
      content,
      clock,
      warn,
      ...(keys && { keys }),
    });
    const onNodeGone = (node: string) => this.#members.nodeGone(node);
    this.#inventory = new Inventory({ engine: name, client, settings, offers, onNodeGone });
  }

  async takeOver(epoch: number): Promise<void> {
    await this.#epoch.takeOver(epoch);
    await this.#members.takeOver(epoch);
  }

  async about(): Promise<string> {
    const { gitVersion } = await this.#ping();
    return `Kubernetes ${gitVersion}`;
  }

  async inventory(): Promise<readonly NodeFacts[]> {
    await this.#ping();
    return this.#inventory.all();
  }

  onInventory(listener: () => void): void {
    this.#inventory.listen(listener);
  }

  markNode(node: string, mode: "up" | "cordoned", reason: string): Promise<void> {
    return this.#inventory.mark(node, mode, reason);
  }

  async bind(order: LeaseOrder): Promise<void> {
    await this.#epoch.pass(order.lease, order.epoch);
    await this.#members.bind(order);
  }

  release(lease: LeaseId): Promise<void> {
    return this.#members.release(lease);
  }

  stop(lease: LeaseId, how: StopOrder): Promise<void> {
    return this.#members.stop(lease, how);
  }

  async list(): Promise<readonly EngineLease[]> {
    await this.#ping();
    return this.#members.list();
  }

  subscribe(listener: (report: Report) => void): void {
    this.#members.subscribe(listener);
  }

  acknowledge(lease: LeaseId, sequence: number): Promise<void> {
    return this.#members.acknowledge(lease, sequence);
  }

  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine> {
    return this.#inside.logs(lease, query);
  }

  open(lease: LeaseId, ask: EntryAsk): Promise<Entry> {
    return this.#inside.open(lease, ask);
  }

  ports(lease: LeaseId): Promise<readonly number[]> {
    return this.#inside.ports(lease);
  }

  files(lease: LeaseId, folder: JobFolder): AsyncIterable<FileEntry> {
    return this.#inside.files(lease, folder);
  }

  readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined> {
    return this.#inside.readFile(lease, folder, path, start);
  }

  async sweep(isLive: (job: JobId) => boolean): Promise<void> {
    await this.#walls.sweep((job) => isLive(job as JobId));
    await this.#inside.sweep((job) => isLive(job as JobId));
  }

  #closed: Promise<void> | undefined;

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#members.close();
    this.#epoch.close();
    this.#inventory.close();
    this.#walls.close();
    await this.#inside.close();
    this.#client.close();
    this.#store.close();
  }

  /** A watch can be dead without a word: what is to be complete is asked of a server that answers. */
  #ping(): Promise<{ readonly gitVersion: string }> {
    return this.#client.get(paths.version, { timeoutMs: pingMsMax });
  }
}

function offersOf(settings: KubernetesSettings): NodeOffers {
  return {
    images: true,
    withoutImage: settings.defaultImage !== undefined,
    isolation: ["whole"],
    workdir: false,
    code: settings.agentImage !== undefined,
    mounts: true,
  };
}
