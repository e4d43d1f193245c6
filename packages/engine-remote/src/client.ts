import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { HealthFinding, JobId, LeaseId, NodeFacts, Report } from "@tessera/core";
import {
  type Capabilities,
  type CheckAsk,
  type CheckResult,
  type Engine,
  type EngineLease,
  type Entry,
  type EntryAsk,
  EntryRefused,
  type FileContent,
  type FileEntry,
  type JobFolder,
  type LeaseOrder,
  type LogLine,
  type LogQuery,
  type StopOrder,
  type Telemetry,
} from "@tessera/engine";
import { FramedEntry, framesOf, jsonFrame, jsonIn, kinds } from "@tessera/engine/framed";
import type { RemoteCalls } from "@tessera/engine/remote";
import type { EntryCall } from "./entries.ts";

/** The other process may be started at the same moment. */
const startMsMax = 30_000;
const againMs = 250;

/** Connects to an engine in another process; waits a while for that process to be there. */
export async function openRemoteEngine(calls: RemoteCalls): Promise<Engine> {
  const lateAt = performance.now() + startMsMax;
  for (;;) {
    try {
      const { name, capabilities } = await calls.ask<Pick<Engine, "name" | "capabilities">>("hello");
      return new RemoteEngine(calls, name, capabilities);
    } catch (error) {
      if (performance.now() > lateAt) throw error;
      await sleep(againMs);
    }
  }
}

class RemoteEngine implements Engine {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly #calls: RemoteCalls;
  readonly #closing = new AbortController();

  constructor(calls: RemoteCalls, name: string, capabilities: Capabilities) {
    this.#calls = calls;
    this.name = name;
    this.capabilities = capabilities;
  }

  inventory(): Promise<readonly NodeFacts[]> {
    return this.#calls.ask("inventory");
  }

  telemetry(): Promise<Telemetry> {
    return this.#calls.ask("telemetry");
  }

  onHealth(listener: (finding: HealthFinding) => void): void {
    void this.#listen<HealthFinding>("findings", listener);
  }

  check(node: string, { signal, ...ask }: CheckAsk): Promise<readonly CheckResult[]> {
    return this.#calls.ask("check", node, ask);
  }

  async bind(order: LeaseOrder): Promise<void> {
    await this.#calls.ask("bind", order);
  }

  async release(lease: LeaseId): Promise<void> {
    await this.#calls.ask("release", lease);
  }

  async stop(lease: LeaseId, how: StopOrder): Promise<void> {
    await this.#calls.ask("stop", lease, how);
  }

  list(): Promise<readonly EngineLease[]> {
    return this.#calls.ask("list");
  }

  subscribe(listener: (report: Report) => void): void {
    void this.#listen<Report>("reports", listener);
  }

  async acknowledge(lease: LeaseId, sequence: number): Promise<void> {
    await this.#calls.ask("acknowledge", lease, sequence);
  }

  logs(lease: LeaseId, { signal, ...query }: LogQuery): AsyncIterable<LogLine> {
    return this.#lines<LogLine>("logs", [lease, query], signal);
  }

  ports(lease: LeaseId): Promise<readonly number[]> {
    return this.#calls.ask("ports", lease);
  }

  files(lease: LeaseId, folder: JobFolder): AsyncIterable<FileEntry> {
    return this.#lines<FileEntry>("files", [lease, folder]);
  }

  async readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined> {
    const response = await this.#calls.open("readFile", [lease, folder, path, start]);
    if (response.statusCode === 204) {
      response.resume();
      return undefined;
    }
    const { "tessera-mode": mode, "tessera-bytes": bytes } = response.headers;
    return { mode: Number(mode), bytes: Number(bytes), content: partsOf(response) };
  }

  async sweep(isLive: (job: JobId) => boolean): Promise<void> {
    const kept = await this.#calls.ask<readonly JobId[]>("keptJobs");
    await this.#calls.ask(
      "sweep",
      kept.filter((job) => !isLive(job)),
    );
  }

  async open(lease: LeaseId, ask: EntryAsk): Promise<Entry> {
    const socket = await this.#upgrade();
    try {
      const call: EntryCall = { lease, ask };
      socket.write(jsonFrame(kinds.ask, call));
      const frames = framesOf(socket);
      const { value: opened } = await frames.next();
      if (opened === undefined) throw new EntryRefused("the helper closed the connection");
      if (opened.kind !== kinds.opened) throw new EntryRefused(jsonIn<{ readonly reason: string }>(opened).reason);
      return new FramedEntry(socket, frames);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#calls.close();
  }

  /** Takes a stream up again when it breaks off: the far side then repeats reports that were not acknowledged. */
  async #listen<Item>(name: string, listener: (item: Item) => void): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        for await (const item of this.#lines<Item>(name, [], this.#closing.signal)) listener(item);
      } catch {} // the helper is away; jobs go on without it, and without us
      if (!this.#closing.signal.aborted) await sleep(againMs);
    }
  }

  async *#lines<Item>(name: string, args: readonly unknown[], signal?: AbortSignal): AsyncGenerator<Item> {
    if (signal?.aborted) return;
    const response = await this.#calls.open(name, args, signal);
    try {
      for await (const line of createInterface({ input: response })) yield JSON.parse(line) as Item;
      if (!response.complete && !signal?.aborted) throw new Error("the helper broke off");
    } catch (error) {
      if (!signal?.aborted) throw error;
    } finally {
      response.destroy();
    }
  }

  #upgrade(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const headers = { connection: "Upgrade", upgrade: "tessera-entry" };
      const call = request({ socketPath: this.#calls.socket, path: "/open", headers });
      call.once("upgrade", (_response, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      call.once("error", (cause) => reject(new EntryRefused("the helper cannot be reached", { cause })));
      call.end();
    });
  }
}

async function* partsOf(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* response as AsyncIterable<Uint8Array>;
  } finally {
    response.destroy();
  }
}
