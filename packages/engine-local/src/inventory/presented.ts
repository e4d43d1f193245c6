import type { NodeFacts } from "@tessera/core";
import type { Capabilities } from "@tessera/engine";
import { Addresses } from "../health/addresses.ts";
import type { Machine } from "../limit/machine.ts";
import type { LocalEngineOptions } from "../options.ts";
import { isolationOf } from "./isolation.ts";
import { describeFleet } from "./machine.ts";
import { findGpus } from "./nvidia.ts";

/** GPUs that are only declared can be shared in every way. */
const virtualIsolation: Capabilities["isolation"] = ["whole", "mig", "mps", "timeslice"];

/** The nodes that the engine presents, as they were when it last looked, and what only it needs to know of their GPUs. */
export class PresentedNodes {
  readonly #options: Pick<LocalEngineOptions, "virtual" | "nodeName" | "gpuDevices">;
  readonly #machine: Machine;
  readonly #addresses = new Addresses();
  #nodes: readonly NodeFacts[] | undefined;
  #gpuDevices: { readonly [uuid: string]: string };
  #isolation: Capabilities["isolation"] = ["whole"];

  constructor(options: Pick<LocalEngineOptions, "virtual" | "nodeName" | "gpuDevices">, machine: Machine) {
    this.#options = options;
    this.#machine = machine;
    this.#gpuDevices = options.gpuDevices ?? {};
  }

  /** How GPUs can be shared here; known once they were looked at. */
  get isolation(): Capabilities["isolation"] {
    return this.#isolation;
  }

  /** The device behind each real GPU. */
  get gpuDevices(): { readonly [uuid: string]: string } {
    return this.#gpuDevices;
  }

  /** Looks at the machine again. */
  async look(): Promise<readonly NodeFacts[]> {
    const found = this.#options.virtual === undefined ? await findGpus() : [];
    this.#gpuDevices = this.#options.gpuDevices ?? Object.fromEntries(found.map(({ uuid, device }) => [uuid, device]));
    this.#isolation = found.length === 0 ? virtualIsolation : isolationOf(found, this.#machine);
    this.#nodes = describeFleet(found, this.#options);
    if (found.length > 0) this.#addresses.note(found);
    else this.#addresses.declare(this.#nodes);
    return this.#nodes;
  }

  async all(): Promise<readonly NodeFacts[]> {
    return this.#nodes ?? (await this.look());
  }

  async find(name: string): Promise<NodeFacts | undefined> {
    return (await this.all()).find((node) => node.name === name);
  }

  /** The GPU at each address of the bus. */
  async addresses(): Promise<ReadonlyMap<string, string>> {
    await this.all();
    return this.#addresses.uuids;
  }
}
