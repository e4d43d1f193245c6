import type { Lack } from "../model/offers.ts";
import type { Instant } from "../model/units.ts";

/** Why a waiting job does not run: the first of these, in this order, that holds. */
export const reasonKinds = [
  "never",
  "held",
  "not-yet",
  "dependency",
  "budget",
  "price",
  "evicting",
  "quota",
  "capacity",
  "shape",
  "isolation",
  "health",
  "reservation",
  "order",
] as const;
export type ReasonKind = (typeof reasonKinds)[number];

/** A reason as values. Its sentence is in the wire package's table of reasons. */
export type Reason = { [Kind in ReasonKind]: ReasonOf<Kind> }[ReasonKind];

export interface ReasonOf<Kind extends ReasonKind> {
  readonly kind: Kind;
  /** The values in the sentence of this reason. They name only accounts on the job's own path. */
  readonly values: ReasonValues[Kind];
  /** The account whose quota, limit or budget stops the job. */
  readonly account?: string;
  /** The scarce resource, if it is not the GPUs themselves. */
  readonly missing?: "cpus" | "memory" | "gpu_memory";
  /** What the amounts below count; absent = GPUs. */
  readonly unit?: ReasonUnit;
  readonly needed?: number;
  /**
   * For the reason `health` on nodes that take no work, for `reservation` on nodes that go into maintenance, for `quota`
   * idle GPUs that their owners do not lend.
   */
  readonly free?: number;
  /** GPUs, of the free ones, on which members fit as the job asks for them. */
  readonly fits?: number;
  /** What the account, the user in it or the array holds of what the limit allows. */
  readonly held?: number;
  readonly limit?: number;
  readonly until?: Instant;
  /** Engines that could hold the job and take nothing new; absent where there are none. */
  readonly engines?: readonly EngineOut[];
}

/** What the amounts of a reason count, if not GPUs. */
export const reasonUnits = ["elements", "members", "cores", "MiB", "GPU-hours"] as const;
export type ReasonUnit = (typeof reasonUnits)[number];

/** An engine that takes nothing new, with the GPUs there that a job could use. */
export interface EngineOut {
  readonly name: string;
  readonly cause: "away" | "cordoned" | "leaving";
  readonly gpus: GpuCount;
  /** Out of reach since then. */
  readonly since?: Instant;
}

/** GPUs of one model; an empty model is any. */
export interface GpuCount {
  readonly gpus: number;
  readonly model: string;
}

/** Nodes that a job cannot use, by what keeps it off them; absent = no node. */
export interface NodesLeftOut {
  /** Nodes that it may use. */
  readonly usable: number;
  /** Of other engines than the one named here, and in other regions. */
  readonly engine?: { readonly name: string; readonly nodes: number };
  readonly region?: { readonly name: string; readonly nodes: number };
  /** Without a label, as `key=value`. */
  readonly labels?: readonly { readonly label: string; readonly nodes: number }[];
  /** Of engines that lack something. */
  readonly engines?: readonly { readonly name: string; readonly nodes: number; readonly lacks: readonly Lack[] }[];
  /** In pools that are closed to its account. */
  readonly pools?: readonly { readonly name: string; readonly nodes: number }[];
  /** In pools that cost more than the price list says, which `max_price` is compared with. */
  readonly dear?: readonly { readonly name: string; readonly nodes: number }[];
  readonly account: string;
}

/** A node with GPUs for a member has too few cores or too little memory for it, or all such nodes together have. */
type Beside =
  | { readonly cause: "cpus"; readonly each: GpuCount; readonly mostMilli: number; readonly neededMilli: number }
  | { readonly cause: "memory"; readonly each: GpuCount; readonly mostMiB: number; readonly neededMiB: number }
  | { readonly cause: "cpus-of-all" | "memory-of-all"; readonly members: number };

/** The values of each kind of reason. */
export interface ReasonValues {
  never: { readonly model: string; readonly leftOut?: NodesLeftOut };
  held: Record<never, never>;
  "not-yet":
    | { readonly cause: "retry" | "not-before" }
    | { readonly cause: "array"; readonly running: number; readonly limit: number };
  dependency: {
    readonly jobs: number;
    /** The first few of them. */
    readonly awaited: readonly { readonly id: string; readonly name: string; readonly state: string }[];
  };
  budget: { readonly account: string; readonly of: "budget" | "credit"; readonly guaranteedMayStart: boolean };
  price: {
    readonly model: string;
    readonly currency: string;
    /** The price of an hour of one whole GPU; absent while it is not known. */
    readonly hourMicros?: bigint;
    readonly maxMicros: bigint;
    /** The account on the job's path whose guarantee covers jobs at any price. */
    readonly guarantor?: string;
  };
  evicting: { readonly gpus: number };
  quota:
    | { readonly cause: "user"; readonly account: string; readonly gpusMax: number }
    | { readonly cause: "cpu-members"; readonly account: string; readonly membersMax: number }
    | { readonly cause: "gpu-hours"; readonly account: string }
    | {
        readonly cause: "max";
        readonly account: string;
        /** `cpus` in cores, `memory` in MiB, `*` or a model in GPUs. */
        readonly what: string;
        readonly max: number;
        readonly held: number;
      }
    | { readonly cause: "not-lent"; readonly gpus: number }
    | {
        readonly cause: "not-preemptible";
        /** The nearest account with a guarantee, if there is one. */
        readonly guarantee?: { readonly account: string; readonly gpus: number; readonly held: number };
      };
  capacity:
    | { readonly cause: "gpus"; readonly needed: GpuCount; readonly free: number }
    | { readonly cause: "gpu-memory"; readonly needed: GpuCount; readonly memoryMiB: number; readonly enough: number }
    | Beside
    | { readonly cause: "beside-part"; readonly cpusMilli?: number; readonly memoryMiB?: number }
    | { readonly cause: "part-no-room" | "part-no-cut"; readonly model: string };
  shape:
    | { readonly cause: "together"; readonly free: GpuCount; readonly level: string; readonly members: number }
    | { readonly cause: "spread"; readonly free: GpuCount; readonly level: string; readonly members: number }
    | { readonly cause: "one-node"; readonly free: GpuCount; readonly largest: number; readonly needed: number }
    | { readonly cause: "scattered"; readonly free: GpuCount; readonly fit: number; readonly members: number }
    | Beside
    | { readonly cause: "left-out"; readonly free: GpuCount; readonly leftOut: NodesLeftOut }
    | { readonly cause: "apart-from"; readonly names?: readonly string[] }
    | { readonly cause: "parts-together"; readonly level: string; readonly members: number };
  isolation:
    | { readonly cause: "confidential" | "node-not-shared"; readonly free: GpuCount }
    | { readonly cause: "part-not-shared" | "part-alone"; readonly model: string }
    /** `stretchMax`: the factor by which the job's own latency may grow, if it has a promise. */
    | { readonly cause: "latency"; readonly model: string; readonly stretchMax?: number };
  health: { readonly free: GpuCount };
  reservation: { readonly maxTime: boolean };
  order: { readonly ahead: number };
}
