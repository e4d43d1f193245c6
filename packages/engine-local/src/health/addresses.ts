import type { NodeFacts } from "@tessera/core";
import { pciAddress } from "@tessera/engine";

/** Where GPUs are on the bus. A GPU that has left it keeps its address, since the kernel speaks of it by that. */
export class Addresses {
  readonly #uuids = new Map<string, string>();

  note(found: readonly { readonly uuid: string; readonly pci: string }[]): void {
    for (const { uuid, pci } of found) {
      const address = pciAddress(pci);
      if (address !== undefined) this.#uuids.set(address, uuid);
    }
  }

  /** GPUs that are declared and not found have addresses in their order, so that a log can be replayed on them. */
  declare(nodes: readonly NodeFacts[]): void {
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
    const uuids = nodes.flatMap(({ gpus }) => gpus.map(({ uuid }) => uuid));
    for (const [i, uuid] of uuids.entries()) this.#uuids.set(`${hex(i >> 8, 4)}:${hex(i & 0xff, 2)}:00`, uuid);
  }

  get uuids(): ReadonlyMap<string, string> {
    return this.#uuids;
  }
}
