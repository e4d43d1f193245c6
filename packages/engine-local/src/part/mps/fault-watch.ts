import { type FSWatcher, watch } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readIfThere } from "../../lease/folder.ts";
import { findProcess } from "../../supervise/processes.ts";
import { parseServerLog, serverPidIn } from "./log.ts";
import type { MpsPlace } from "./place.ts";
import type { MpsMember } from "./server.ts";

/** A watch can miss a change; it is then seen this much later. */
const lookEveryMs = 1_000;
/** The log of the server may come a moment after the end of a client. */
const settleTries = 5;
const settleEveryMs = 200;

/**
 * Follows the log of the MPS server that a member uses, and tells whether a fatal fault ended it. Which client caused a fault
 * is not known (0055): it was the member's own job if no other job used the server.
 */
export class FaultWatch {
  readonly #place: MpsPlace;
  readonly #job: string;
  readonly #processes: () => readonly number[];
  readonly #onFault: () => void;
  readonly #own = new Set<number>();
  #users: ReadonlySet<string> = new Set();
  #clientsNamed = false;
  #server: number | undefined;
  /** The jobs that used the server when it faulted. */
  #faulted: ReadonlySet<string> | undefined;
  #offset = 0;
  #rest = "";
  #turn: Promise<void> = Promise.resolve();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `processes` are those of the member; `onFault` is called once, when the server cannot be used any more. */
  constructor(place: MpsPlace, job: string, processes: () => readonly number[], onFault: () => void) {
    this.#place = place;
    this.#job = job;
    this.#processes = processes;
    this.#onFault = onFault;
  }

  /** Call before the member runs: what the log says already is about others. */
  async open(): Promise<void> {
    this.#offset = await sizeOf(this.#logFile);
    await this.#look();
    this.#timer = setInterval(() => void this.#look(), lookEveryMs).unref();
    try {
      this.#watcher = watch(this.#place.log, () => void this.#look()).unref();
      this.#watcher.on("error", () => {});
    } catch {
      // No watch is left on this machine: the timer looks.
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
  }

  /** After its end with a code other than 0: `undefined` = no fault of the server ended it. */
  async settle(): Promise<"own" | "neighbour" | undefined> {
    for (let tries = 0; tries < settleTries; tries += 1) {
      await this.#look();
      if (!this.#affected) return undefined;
      if (this.#faulted !== undefined) return this.#faulted.size === 1 ? "own" : "neighbour";
      await sleep(settleEveryMs);
    }
    return undefined;
  }

  /** Whether the member has used the server; where the log names no client at all, it may have. */
  get #affected(): boolean {
    return this.#own.size > 0 || !this.#clientsNamed;
  }

  get #logFile(): string {
    return join(this.#place.log, "server.log");
  }

  /** One look at a time, in order: each reads on where the one before it stopped. */
  #look(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#read()).catch(() => {}); // it is looked at again in a second
    return this.#turn;
  }

  async #read(): Promise<void> {
    const before = this.#users;
    this.#users = await this.#jobsOfMembers();
    const text = await this.#newLines();
    this.#server = serverPidIn(text) ?? this.#server;
    for (const event of parseServerLog(text)) {
      if (event.kind === "client") this.#meet(event.pid);
      else this.#note(before);
    }
    const isGone = this.#server !== undefined && findProcess(this.#server) === undefined;
    if (isGone && [...this.#own].some((pid) => findProcess(pid) !== undefined)) this.#note(before);
  }

  #meet(pid: number): void {
    this.#clientsNamed = true;
    if (this.#processes().includes(pid)) this.#own.add(pid);
  }

  /** A job that has just left may have been the cause, so the users of a moment ago count too. */
  #note(before: ReadonlySet<string>): void {
    if (this.#faulted !== undefined) return;
    this.#faulted = new Set([...before, ...this.#users]);
    if (this.#affected) this.#onFault();
  }

  async #newLines(): Promise<string> {
    const size = await sizeOf(this.#logFile);
    if (size <= this.#offset) return "";
    const file = await open(this.#logFile, "r");
    try {
      const bytes = Buffer.alloc(Math.min(size - this.#offset, readBytesMax));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, this.#offset);
      this.#offset += bytesRead;
      const text = this.#rest + bytes.toString("utf8", 0, bytesRead);
      const end = text.lastIndexOf("\n") + 1;
      this.#rest = text.slice(end);
      return text.slice(0, end);
    } finally {
      await file.close();
    }
  }

  async #jobsOfMembers(): Promise<ReadonlySet<string>> {
    const jobs = new Set([this.#job]);
    for (const lease of await readdir(this.#place.members).catch(() => [])) {
      const text = await readIfThere(join(this.#place.members, lease));
      if (text !== undefined) jobs.add((JSON.parse(text) as MpsMember).job);
    }
    return jobs;
  }
}

/** A client that faults again and again fills the log; what is left is read at the next look. */
const readBytesMax = 1 << 20;

async function sizeOf(path: string): Promise<number> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return 0;
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
