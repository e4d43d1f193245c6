import type { ReportWhat } from "@tessera/core";
import type { StopOrder } from "@tessera/engine";
import { watchMemory } from "./memory-watch.ts";
import { FaultWatch } from "./mps/fault-watch.ts";
import type { SharedGpu } from "./shared.ts";
import { runSmi } from "./smi.ts";
import { overMemoryText } from "./timeslice.ts";

/** How a member ended on a GPU that it shared, where that was not its own doing, or beyond its limit. */
export type SharedEnd = Pick<Extract<ReportWhat, { kind: "exited" }>, "limit" | "neighbour" | "reason">;

/** A job that exceeds its memory takes that of others: it has less time than one that is asked to leave. */
const overMemory: StopOrder = { signal: "SIGTERM", graceMs: 5_000 };
/** After a fault no client can compute any more; one that has not ended by then keeps the server from new clients. */
const lingerMs = 10_000;

/** Watches a member on a GPU that is shared by MPS or time slices, for as long as it runs. */
export class SharedWatch {
  readonly #faults: FaultWatch | undefined;
  readonly #memory: () => void;
  #over: string | undefined;
  #linger: NodeJS.Timeout | undefined;

  /** `stop` is called with the reason, in words for the user, and how. */
  constructor(
    { gpu, memoryMiB, server }: SharedGpu,
    { job, folder }: { readonly job: string; readonly folder: string },
    processes: () => readonly number[],
    stop: (reason: string, how: StopOrder) => void,
  ) {
    this.#memory = watchMemory({ smi: runSmi, folder }, { gpu, memoryMiB }, processes, (usedMiB) => {
      this.#over = overMemoryText(usedMiB, memoryMiB);
      stop(this.#over, overMemory);
    });
    if (server === undefined) return;
    const serverGone = () => {
      this.#linger = setTimeout(() => stop("its MPS server had a fatal fault", overMemory), lingerMs);
    };
    this.#faults = new FaultWatch(server, job, processes, serverGone);
  }

  async open(): Promise<void> {
    await this.#faults?.open();
  }

  /** What its end means, once the member has ended. */
  async close(code: number): Promise<SharedEnd> {
    this.#memory();
    clearTimeout(this.#linger);
    const blame = code === 0 ? undefined : await this.#faults?.settle();
    this.#faults?.close();
    if (this.#over !== undefined) return { limit: "gpu-memory", reason: this.#over };
    if (blame === "neighbour") return { neighbour: true, reason: "a fault on the GPU that it shared ended it" };
    return blame === "own" ? { reason: "a fatal fault on the GPU ended it" } : {};
  }
}
