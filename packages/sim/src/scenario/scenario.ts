import type {
  AccountOrder,
  FindingSource,
  GpuAmounts,
  IdleAction,
  Isolation,
  JobClass,
  JobOutcome,
  JobType,
  PoolMode,
  ReasonKind,
  Trust,
} from "@tessera/core";

/** A scenario file, checked and in whole units: milliseconds, GPU units, millicores, MiB. */
export interface Scenario {
  readonly name: string;
  readonly nodes: readonly ScenarioNode[];
  /** Every account, also parents that the file leaves out; parents come before their children. */
  readonly accounts: readonly ScenarioAccount[];
  readonly policy: Policy;
  readonly pools: readonly ScenarioPool[];
  readonly steps: readonly Step[];
}

export type { PoolMode };

export interface ScenarioNode {
  readonly name: string;
  /** Absent = the one that all nodes are in where none is named. */
  readonly engine?: string;
  readonly model: string;
  readonly gpus: number;
  readonly gpuMemoryMiB: number;
  readonly region?: string;
  readonly zone: string;
  readonly block: string;
  readonly rack: string;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  readonly mode: PoolMode;
  readonly labels?: Labels;
}

/** Nodes by label, with the accounts that may use them. */
export interface ScenarioPool {
  readonly name: string;
  readonly labels: Labels;
  /** Absent = all. */
  readonly tenants?: readonly string[];
  /** Absent = that of each node. */
  readonly mode?: PoolMode;
  /** Absent = 1. */
  readonly ratio?: number;
  readonly trust?: Trust;
}

export interface Labels {
  readonly [key: string]: string;
}

export interface ScenarioAccount {
  readonly path: string;
  readonly guarantee: GpuAmounts;
  readonly max?: GpuAmounts;
  readonly lendable?: GpuAmounts;
  readonly weight: number;
  readonly trust: Trust;
  readonly trustGroup?: string;
  readonly order?: AccountOrder;
  readonly quantumMs?: number;
  readonly historyHalfLifeMs?: number;
  readonly idle?: ScenarioIdle & { readonly relax?: true };
}

export interface ScenarioIdle {
  readonly forMs: number;
  readonly do: IdleAction;
}

export interface Policy {
  readonly graceMs: number;
  readonly minRuntimeMs: number;
  readonly rebalance: boolean;
  readonly backfill: boolean;
  /** How long the scrub of a GPU takes that passes to another tenant; absent = GPUs are not scrubbed. */
  readonly scrubMs?: number;
  /** The most members without GPUs that one tenant runs at a time; absent = the plain number. */
  readonly cpuMembers?: number;
}

/** One instant: its inputs in the order written, then the expectations once the scheduler has come to rest. */
export interface Step {
  /** From the start of the scenario. */
  readonly atMs: number;
  readonly inputs: readonly StepInput[];
  readonly expect?: Expect;
}

export type StepInput =
  | { readonly kind: "submit"; readonly job: ScenarioJob }
  | { readonly kind: "cancel"; readonly job: string }
  /** The job faults on its GPU: it fails, and by MPS the other jobs on that GPU end with it. */
  | { readonly kind: "fault"; readonly job: string }
  /** All its GPUs were measured as doing nothing for so long. */
  | { readonly kind: "idle"; readonly job: string; readonly forMs: number }
  | { readonly kind: "node"; readonly node: string; readonly to: NodeTurn }
  | { readonly kind: "engine"; readonly engine: string; readonly to: EngineTurn }
  /** The node is out of use between two instants of the scenario. */
  | { readonly kind: "maintenance"; readonly node: string; readonly fromMs: number; readonly untilMs: number }
  /** Its engine sees something that may be a fault, of one of its GPUs or of the node. */
  | ({ readonly kind: "finding"; readonly node: string; readonly gpu?: number } & ScenarioFinding)
  | { readonly kind: "checks"; readonly node: string; readonly result: CheckTurn }
  /**
   * The accounts whose terms change, as they are afterwards: the account named, and accounts above it that the file
   * leaves out, because they hold a sum. With `untilMs` the quota changes for a time only: until that instant.
   */
  | { readonly kind: "quota"; readonly accounts: readonly ScenarioAccount[]; readonly untilMs?: number };

export interface ScenarioFinding {
  readonly source: FindingSource;
  readonly code: string;
}

/** How all checks of a node go. */
export const checkResults = ["passed", "failed", "skipped"] as const;
export type CheckTurn = (typeof checkResults)[number];

export const nodeTurns = ["up", "down", "drain", "cordon"] as const;
export type NodeTurn = (typeof nodeTurns)[number];

/** The server loses an engine and reaches it again; its owner cordons it and brings it up. */
export const engineTurns = ["away", "back", "cordon", "up"] as const;
export type EngineTurn = (typeof engineTurns)[number];

export const topologyLevels = ["region", "zone", "block", "rack", "nvlink", "node"] as const;
export type TopologyLevel = (typeof topologyLevels)[number];

export interface ScenarioJob {
  readonly name: string;
  /** The name as written, which `count` and `array` make several names of. */
  readonly group: string;
  readonly account: string;
  /** Alternatives as written, such as `8`, `H100:8`, `H100:0.25` or `1g.10gb`. */
  readonly gpus: readonly (number | string)[];
  readonly members: { readonly min: number; readonly max: number; readonly apart: boolean };
  readonly topology?: { readonly level: TopologyLevel; readonly required: boolean };
  readonly spread?: { readonly level: TopologyLevel; readonly required: boolean };
  /** Only nodes of this engine, in this region, with these labels. */
  readonly engine?: string;
  readonly region?: string;
  readonly where?: Labels;
  /** Names of jobs of its account with which it shares no node. */
  readonly apartFrom?: readonly string[];
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  readonly gpuMemoryMiB: number;
  /** Per cent of each GPU's compute. */
  readonly gpuComputePercent?: number;
  readonly isolation: Isolation;
  /** Absent = batch. */
  readonly type?: JobType;
  /** The time in which 99 of 100 requests are answered, and the same with no job beside it. */
  readonly slo?: { readonly p99Ms: number; readonly aloneMs?: number };
  readonly idle?: ScenarioIdle;
  readonly priority: number;
  readonly preemptible: boolean;
  /** How long it really takes; absent = for ever. */
  readonly runsMs?: number;
  /** The same for each element of an array. */
  readonly runsEachMs?: readonly number[];
  /** The limit that its user declared. */
  readonly maxTimeMs?: number;
  readonly expectedMs?: number;
  /** It checkpoints this often, and can move. */
  readonly checkpointMs?: number;
  /** Asked to leave, it saves for so long and exits with 0; absent = it uses its whole grace. */
  readonly leaveMs?: number;
  /** `never`: nothing brings it back. */
  readonly retry?: "never";
  /** `1-8%2` as written, and the indexes it stands for. */
  readonly array?: { readonly text: string; readonly indexes: readonly number[] };
}

export const placeLevels = ["nodes", "racks", "blocks", "zones"] as const;
export type PlaceLevel = (typeof placeLevels)[number];

/** Expectations of a step. An absent field expects nothing. */
export interface Expect {
  readonly running?: readonly string[];
  readonly waiting?: readonly { readonly job: string; readonly kind: ReasonKind }[];
  readonly never?: readonly string[];
  readonly ended?: readonly { readonly job: string; readonly outcome: JobOutcome }[];
  readonly evicted?: readonly string[];
  readonly evictedOf?: readonly { readonly group: string; readonly count: number }[];
  readonly runningOf?: readonly { readonly group: string; readonly count: number }[];
  readonly usage?: readonly { readonly account: string; readonly units: number }[];
  readonly class?: readonly { readonly job: string; readonly class: JobClass }[];
  /** Names = exactly these, a number = how many. */
  readonly on?: readonly {
    readonly job: string;
    readonly level: PlaceLevel;
    readonly are: number | readonly string[];
  }[];
  /** Jobs that are not submitted, with what would happen if they were. */
  readonly would?: readonly {
    readonly job: ScenarioJob;
    readonly starts: Start;
    readonly evicts?: readonly string[];
  }[];
  /** Jobs that go before a waiting job. */
  readonly ahead?: readonly {
    readonly job: string;
    readonly of: "own" | "others";
    readonly class: JobClass;
    readonly count: number;
  }[];
  /** All changes with which a waiting job would start sooner, in the order in which they are shown. */
  readonly sooner?: readonly {
    readonly job: string;
    readonly changes: readonly { readonly field: string; readonly value: string; readonly starts: Start }[];
  }[];
  /** The planned start of a waiting job. */
  readonly eta?: readonly { readonly job: string; readonly starts: Start }[];
  /** The likely range of the start of a waiting job. */
  readonly likely?: readonly { readonly job: string; readonly between: readonly [Start, Start] | "unknown" }[];
}

/** When a job starts: `now`, `unknown`, or an instant of the scenario such as `1h30m`. */
export type Start = string;
