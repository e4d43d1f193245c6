import type { Cluster } from "./cluster.ts";
import type { World } from "./policy.ts";
import { wholeGpu } from "./read.ts";

/** Share of the rows that the typical kinds must hold. */
const typicalShare = 0.95;

/** The kinds that make up most rows of the original file, and how likely each is among them. */
export interface Typical {
  readonly kinds: readonly number[];
  readonly chance: readonly number[];
}

/** The shortest prefix, most frequent first, that holds 95 % of the rows. */
export function typicalOf({ kinds, rows }: Pick<World, "kinds" | "rows">): Typical {
  const order = kinds
    .map((_, kind) => kind)
    .sort((a, b) => {
      const [one, other] = [kinds[a]!, kinds[b]!];
      return (
        rows[b]! - rows[a]! ||
        other.cpuMilli - one.cpuMilli ||
        other.milli - one.milli ||
        other.gpus - one.gpus ||
        a - b
      );
    });
  const all = rows.reduce((sum, count) => sum + count, 0);
  let held = 0;
  let length = 0;
  while (held < typicalShare * all) held += rows[order[length++]!]!;
  const prefix = order.slice(0, length);
  return { kinds: prefix, chance: prefix.map((kind) => rows[kind]! / held) };
}

/** How much idle GPU a node holds that the typical tasks cannot use, in thousandths of a GPU. */
export class Fragment {
  readonly #cluster: Cluster;
  readonly #count: number;
  readonly #cpu: Float64Array;
  readonly #gpus: Uint8Array;
  readonly #milli: Int16Array;
  readonly #chance: Float64Array;
  readonly #allowed: readonly Uint8Array[];
  /** Sum of the chances of kinds that cannot use a GPU at all. */
  readonly #free: Int16Array;

  constructor({ cluster, kinds, allowed }: World, typical: Typical) {
    this.#cluster = cluster;
    this.#count = typical.kinds.length;
    this.#cpu = Float64Array.from(typical.kinds, (kind) => kinds[kind]!.cpuMilli);
    this.#gpus = Uint8Array.from(typical.kinds, (kind) => kinds[kind]!.gpus);
    this.#milli = Int16Array.from(typical.kinds, (kind) => kinds[kind]!.milli);
    this.#chance = Float64Array.from(typical.chance);
    this.#allowed = typical.kinds.map((kind) => allowed[kind]!);
    this.#free = new Int16Array(cluster.stride);
  }

  /** Of the node as it is. */
  of(node: number): number {
    return this.#sum(node, this.#cluster.cpuFree[node]!, this.#load(node));
  }

  /** Of the node after a share of `device`, or `gpus` whole devices, and the CPU were taken. */
  after(node: number, cpuMilli: number, gpus: number, milli: number, device: number): number {
    let idle = this.#load(node);
    if (gpus > 0 && milli < wholeGpu) {
      this.#free[device]! -= milli;
      idle -= milli;
    } else {
      for (let at = 0, left = gpus; left > 0; at++) {
        if (this.#free[at] !== wholeGpu) continue;
        this.#free[at] = 0;
        idle -= wholeGpu;
        left--;
      }
    }
    return this.#sum(node, this.#cluster.cpuFree[node]! - cpuMilli, idle);
  }

  #load(node: number): number {
    const { free, stride, gpus, idle } = this.#cluster;
    const first = node * stride;
    for (let device = 0; device < gpus[node]!; device++) this.#free[device] = free[first + device]!;
    return idle[node]!;
  }

  #sum(node: number, cpuFree: number, idle: number): number {
    if (idle === 0) return 0;
    const devices = this.#cluster.gpus[node]!;
    const model = this.#cluster.model[node]!;
    let sum = 0;
    for (let t = 0; t < this.#count; t++) {
      let lost = idle;
      const gpus = this.#gpus[t]!;
      if (gpus > 0 && cpuFree >= this.#cpu[t]! && this.#allowed[t]![model] === 1) {
        const milli = this.#milli[t]!;
        let fitting = 0;
        let remnants = 0;
        for (let device = 0; device < devices; device++) {
          const free = this.#free[device]!;
          if (free >= milli) fitting++;
          else remnants += free;
        }
        if (fitting >= gpus) lost = remnants;
      }
      sum += this.#chance[t]! * lost;
    }
    return sum;
  }
}
