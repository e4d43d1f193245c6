import { mkdirSync, writeFileSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ContentStore, type EngineKeys } from "@tessera/content";
import { type KeptOutput, type LeaseId, outputUndeclared } from "@tessera/core";
import {
  type Clock,
  type Entry,
  type EntryAsk,
  EntryRefused,
  type FileContent,
  type FileEntry,
  type JobFolder,
  type LeaseOrder,
  type LogLine,
  type LogQuery,
} from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import type { Pod } from "../api/types.ts";
import { memberContainer } from "../names.ts";
import type { KubernetesSettings } from "../settings.ts";
import { agentContainer, agentOrderOf } from "./agent/order.ts";
import { AgentCalls } from "./agent-calls.ts";
import { ensureCheckpoint, sweepCheckpoints } from "./claims.ts";
import { Logs } from "./logs.ts";
import { openCommand, refusing } from "./member-entry.ts";
import { claimsCheckpoint } from "./parts.ts";
import { isRunning } from "./pod-status.ts";
import { listeningPorts } from "./ports.ts";

const againMs = 500;
const collectAttemptsMax = 6;

/** What the engine knows of its members, for what goes on inside them. */
export interface Members {
  /** The newest known state of its pod; undefined where there is none. */
  pod(lease: LeaseId): Pod | undefined;
  /** Calls back at each change of the pod of this lease, until the returned function is called. */
  watch(lease: LeaseId, onChange: () => void): () => void;
}

export interface InsidePorts {
  /** The name of the engine. */
  readonly name: string;
  readonly client: ApiClient;
  readonly settings: KubernetesSettings;
  readonly members: Members;
  /** A folder for what is kept of members: logs, outputs. */
  readonly dir: string;
  /** The folder of the content store. */
  readonly content: string;
  readonly keys?: EngineKeys;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

/** Everything that looks into members, and what is kept of them. */
export interface Inside {
  /** Makes what the pod of this order needs besides itself. */
  prepare(order: LeaseOrder, namespace: string): Promise<void>;
  /** The container of this member has begun to run; also called for those that run when the engine opens. */
  started(lease: LeaseId, pod: Pod): void;
  /** The pod is about to be deleted, or was by someone else: its log and its outputs go with it. May be called again. */
  stopping(lease: LeaseId, pod: Pod, returns: boolean): void;
  /**
   * The member has ended, and its pod is still there: keeps its log and, where its job does not start again, its outputs.
   * Called before the end is reported, again after a crash; what it returns becomes part of the report.
   */
  keep(lease: LeaseId, pod: Pod, returns: boolean): Promise<readonly KeptOutput[] | undefined>;
  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine>;
  /** A way into a member that runs. Throws EntryRefused. */
  open(lease: LeaseId, ask: EntryAsk): Promise<Entry>;
  ports(lease: LeaseId): Promise<readonly number[]>;
  files(lease: LeaseId, folder: JobFolder): AsyncIterable<FileEntry>;
  readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined>;
  sweep(isLive: (job: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

export function openInside(ports: InsidePorts): Inside {
  return new InsideOfPods(ports);
}

class InsideOfPods implements Inside {
  readonly #with: InsidePorts;
  readonly #content: ContentStore;
  readonly #logs: Logs;
  readonly #outputs: string;
  /** Outputs that are being taken. */
  readonly #keeping = new Map<LeaseId, Promise<readonly KeptOutput[] | undefined>>();
  /** Pods whose files are under way or there. */
  readonly #brought = new Set<string>();

  constructor(ports: InsidePorts) {
    this.#with = ports;
    const { keys } = ports;
    this.#content = new ContentStore(ports.content, 0, keys && (async (tenant) => (await keys.of(tenant)).content));
    this.#logs = new Logs(ports.client, ports.members, join(ports.dir, "logs"), keys);
    this.#outputs = join(ports.dir, "outputs");
  }

  async prepare(order: LeaseOrder, namespace: string): Promise<void> {
    const { client, name, settings } = this.#with;
    if (claimsCheckpoint(order, settings)) await ensureCheckpoint(client, name, order, namespace, settings);
  }

  started(lease: LeaseId, pod: Pod): void {
    this.#logs.started(lease, pod);
    void this.#bring(lease, pod);
  }

  stopping(lease: LeaseId, pod: Pod, returns: boolean): void {
    this.#logs.stopping(lease, pod);
    this.#keepOutputs(lease, pod, returns).catch((error: Error) => this.#with.warn(`lease ${lease}: ${error.message}`));
  }

  async keep(lease: LeaseId, pod: Pod, returns: boolean): Promise<readonly KeptOutput[] | undefined> {
    this.#brought.delete(pod.metadata.uid ?? "");
    const outputs = await this.#keepOutputs(lease, pod, returns);
    await this.#logs.keep(lease, pod);
    return outputs;
  }

  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine> {
    return this.#logs.read(lease, query);
  }

  async open(lease: LeaseId, ask: EntryAsk): Promise<Entry> {
    const pod = this.#running(lease);
    if (ask.kind === "exec") return openCommand(this.#with.client, pod, ask);
    const ports = await this.ports(lease);
    if (!ports.includes(ask.port)) throw new EntryRefused(`no process of the job listens on port ${ask.port}`);
    if (!isRunning(pod, agentContainer))
      throw new EntryRefused("ports are reached through the agent of the pod, and this cluster has no agent image");
    return refusing(this.#agent(pod).open("port", String(ask.port)));
  }

  ports(lease: LeaseId): Promise<readonly number[]> {
    try {
      return refusing(listeningPorts(this.#with.client, this.#running(lease)));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async *files(lease: LeaseId, folder: JobFolder): AsyncGenerator<FileEntry> {
    const pod = this.#with.members.pod(lease);
    if (pod !== undefined && isRunning(pod, agentContainer)) yield* this.#agent(pod).list(folder);
  }

  async readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined> {
    const pod = this.#with.members.pod(lease);
    if (pod === undefined || !isRunning(pod, agentContainer)) return undefined;
    return this.#agent(pod).read(folder, path, start);
  }

  async sweep(isLive: (job: string) => boolean): Promise<void> {
    const { client, clock, name, settings } = this.#with;
    await this.#logs.sweep(clock.now());
    if (settings.checkpointClass !== undefined) await sweepCheckpoints(client, name, isLive, clock.now());
  }

  close(): Promise<void> {
    return this.#logs.close();
  }

  #agent(pod: Pod): AgentCalls {
    return new AgentCalls(this.#with.client, pod);
  }

  #running(lease: LeaseId): Pod {
    const pod = this.#with.members.pod(lease);
    if (pod === undefined || !isRunning(pod, memberContainer)) throw new EntryRefused("the job does not run");
    return pod;
  }

  /** Brings what the pod awaits; a connection that breaks is tried again. */
  async #bring(lease: LeaseId, pod: Pod): Promise<void> {
    const order = agentOrderOf(pod);
    const uid = pod.metadata.uid ?? "";
    if (order === undefined || order.bring.length === 0 || this.#brought.has(uid)) return;
    this.#brought.add(uid);
    const content = this.#content.of(order.tenant);
    for (let waitMs = againMs; this.#brought.has(uid); waitMs = Math.min(2 * waitMs, 10_000)) {
      try {
        return await this.#agent(pod).bring(order, content);
      } catch (error) {
        this.#with.warn(`lease ${lease}: its files could not be brought, trying again: ${(error as Error).message}`);
        await sleep(waitMs, undefined, { ref: false });
      }
    }
  }

  #keepOutputs(lease: LeaseId, pod: Pod, returns: boolean): Promise<readonly KeptOutput[] | undefined> {
    const known = this.#keeping.get(lease);
    if (known !== undefined) return known;
    const keeping = this.#keepOnce(lease, pod, returns).finally(() => this.#keeping.delete(lease));
    this.#keeping.set(lease, keeping);
    return keeping;
  }

  /** What was kept is written down before the agent may go: a control plane that starts later cannot ask it again. */
  async #keepOnce(lease: LeaseId, pod: Pod, returns: boolean): Promise<readonly KeptOutput[] | undefined> {
    const order = agentOrderOf(pod);
    if (order?.outputs === undefined) return undefined;
    const file = join(this.#outputs, `${lease}.json`);
    const known = await readFile(file, "utf8").catch(() => undefined);
    if (known !== undefined) return JSON.parse(known) as readonly KeptOutput[];
    const kept = await this.#collect(lease, pod, order.tenant, returns);
    mkdirSync(this.#outputs, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600 });
    await rename(`${file}.new`, file);
    await this.#agent(pod)
      .end()
      .catch(() => {}); // it has ended, or ends with the grace of the pod
    return kept;
  }

  /** A connection that breaks is tried again: what was taken already costs little. */
  async #collect(lease: LeaseId, pod: Pod, tenant: string, returns: boolean): Promise<readonly KeptOutput[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#agent(pod).collect(this.#content.of(tenant), returns);
      } catch (error) {
        const why = (error as Error).message;
        const now = this.#with.members.pod(lease) ?? pod;
        if (attempt < collectAttemptsMax && isRunning(now, agentContainer)) {
          await sleep(againMs * attempt);
          continue;
        }
        this.#with.warn(`lease ${lease}: its outputs could not be kept: ${why}`);
        return [{ name: outputUndeclared.out, files: 0, bytes: 0, left: { files: 0, bytes: 0, why } }];
      }
    }
  }
}
