import { existsSync } from "node:fs";
import type { HealthFinding, LeaseId, NodeFacts } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import { parseXid, upMs } from "@tessera/engine";
import type { Counters } from "./counters.ts";
import { type KernelLine, KernelLog } from "./kernel-log.ts";

export interface HealthWatchParts {
  /** Absent = the kernel's own. */
  readonly kernelLog?: string;
  readonly memory: string;
  readonly bootId: string;
  readonly clock: Clock;
  readonly nodes: () => Promise<readonly NodeFacts[]>;
  /** The uuid of each GPU by its PCI address. */
  readonly addresses: () => Promise<ReadonlyMap<string, string>>;
  /** The lease whose member a process of this machine belongs to. */
  readonly leaseOf: (pid: number) => Promise<LeaseId | undefined>;
  /** Absent where the GPUs are declared and not found. */
  readonly counters?: Counters;
}

const kernelEveryMs = 1_000;
const countersEveryMs = 60_000;
const device = "/dev/kmsg";

/** Looks for faults of this machine's GPUs, in the kernel log and in counters of the driver. */
export class HealthWatch {
  readonly #parts: HealthWatchParts;
  readonly #log: KernelLog | undefined;
  readonly #timers: NodeJS.Timeout[] = [];
  #listener: ((finding: HealthFinding) => void) | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: HealthWatchParts) {
    this.#parts = parts;
    const { kernelLog, memory, bootId } = parts;
    const file = kernelLog ?? (parts.counters !== undefined && existsSync(device) ? device : undefined);
    if (file !== undefined) this.#log = new KernelLog({ file, memory, bootId });
  }

  start(listener: (finding: HealthFinding) => void): void {
    this.#listener = listener;
    void this.look();
    this.#every(kernelEveryMs, () => this.look());
    if (this.#parts.counters !== undefined) this.#every(countersEveryMs, () => this.#count());
  }

  /**
   * Tells what the kernel log has said since. Called before the end of a member is told as well: what brought it down is to be
   * known first.
   */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#readLog()).catch(() => {}); // it is read again in a second
    return this.#looking;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#listener = undefined;
    this.#log?.close();
  }

  #every(ms: number, act: () => Promise<void>): void {
    this.#timers.push(setInterval(() => void act(), ms).unref());
  }

  async #readLog(): Promise<void> {
    if (this.#log === undefined || this.#listener === undefined) return;
    for (const line of this.#log.read()) {
      const finding = await this.#findingIn(line);
      if (finding !== undefined) this.#listener?.(finding);
    }
  }

  async #findingIn({ text, upMs: saidMs }: KernelLine): Promise<HealthFinding | undefined> {
    const xid = parseXid(text);
    if (xid === undefined) return undefined;
    const { nodes, addresses, leaseOf, clock } = this.#parts;
    const gpuUuid = (await addresses()).get(xid.pci);
    const [first, ...others] = await nodes();
    const node = [first, ...others].find((each) => each?.gpus.some(({ uuid }) => uuid === gpuUuid)) ?? first;
    // A GPU of another owner on a machine that is declared as several nodes says nothing of these.
    if (node === undefined || (gpuUuid === undefined && others.length > 0)) return undefined;
    const lease = xid.pid === undefined ? undefined : await leaseOf(xid.pid);
    const now = clock.now();
    return {
      ...{ node: node.name, source: "xid", code: xid.code, text: xid.text },
      at: saidMs === undefined ? now : Math.min(now, now - Math.max(0, upMs() - saidMs)),
      ...(gpuUuid !== undefined && { gpuUuid }),
      ...(lease !== undefined && { lease }),
    };
  }

  async #count(): Promise<void> {
    const { counters, nodes, clock } = this.#parts;
    if (counters === undefined) return;
    const found = await counters.read((await nodes())[0]?.gpus.map(({ uuid }) => uuid) ?? []).catch(() => []);
    const [node] = await nodes();
    if (node === undefined) return;
    for (const each of found) this.#listener?.({ node: node.name, at: clock.now(), ...each });
  }
}
