import type { HealthFinding, JobId, JobType, LeaseId, NodeFacts, PartSeat, Report, Trust } from "@tessera/core";
import type { Entry, EntryAsk } from "./entry.ts";
import type { Telemetry } from "./telemetry.ts";

/** What an engine can do beyond running a command on whole GPUs. A job that asks for more is refused, not bent. */
export interface Capabilities {
  /** Runs container images. */
  readonly images: boolean;
  readonly isolation: readonly ("whole" | "mig" | "mps" | "timeslice")[];
  /** Takes `workdir` as an absolute directory on the node. */
  readonly workdir: boolean;
  /** Shows volumes and outputs of other jobs at paths of their choice. */
  readonly mounts?: boolean;
  /** Brings the user's files to the work folder: `code` and `venv`. */
  readonly code?: boolean;
  /**
   * Runs jobs of one tenant only, because it cannot keep tenants apart: why, what helps, and which tenant that is, once it
   * has run a job.
   */
  readonly oneTenant?: { readonly why: string; readonly hint: string; readonly tenant?: string };
  /** Runs jobs that name no image; absent = it does. */
  readonly withoutImage?: boolean;
  /** How many calls it takes at the same time; absent = few, since each costs the machine of the server. */
  readonly callsAtOnce?: number;
  /** What does not keep jobs in here, one sentence each: said when the server starts. */
  readonly gaps?: readonly string[];
}

/** One member to run. Complete: an engine needs nothing else, and the same order for the same lease is the same request. */
export interface LeaseOrder {
  readonly lease: LeaseId;
  readonly job: JobId;
  readonly jobName: string;
  /** What kind of work it is, for engines that only imitate it. */
  readonly type?: JobType;
  readonly attempt: number;
  readonly rank: number;
  /** How many members the gang has. */
  readonly size: number;
  readonly node: string;
  readonly gpuUuids: readonly string[];
  /** The part of its one GPU that it holds, and how that is cut; absent for whole GPUs. */
  readonly part?: PartSeat;
  /**
   * What must happen to some of these GPUs first, and how long that usually takes: cleared of another tenant's work
   * (report `scrubbed` or `scrub-failed`), then cut otherwise (`reshaped`).
   */
  readonly scrub?: { readonly gpuUuids: readonly string[]; readonly usualMs: number };
  readonly reshape?: { readonly gpuUuids: readonly string[]; readonly to: string; readonly usualMs: number };
  /**
   * Nodes of the gang by rank, and the address of rank 0's node. Where exactly the gang meets is the engine's to say: only
   * there can a port be kept free.
   */
  readonly gangNodes: readonly string[];
  readonly masterAddress: string;
  /** What it may reach beyond its gang; absent = everything but the machine and other jobs. */
  readonly network?: NetworkOrder;
  /** Where a page of the job should be served, if it serves one. */
  readonly pagePort?: number;
  /** The outside id of the tenant: members of different tenants must not see each other. */
  readonly tenant: string;
  /** What holds for the tenant as a whole, for walls that the engine puts around it. */
  readonly tenantTerms?: TenantTerms;
  readonly account: string;
  readonly arrayIndex?: number;
  readonly arrayId?: string;
  readonly image?: string;
  readonly workdir?: string;
  /** The job must be able to write in `workdir`; the engine says what stands in the way. */
  readonly inPlace?: true;
  /** What lies in the work folder when the member starts; each member of each attempt has a copy of its own. */
  readonly code?: CodeOrder;
  /** A virtual environment or conda prefix on the node, whose programs come first. */
  readonly venv?: { readonly path: string; readonly optional?: boolean };
  readonly setup?: string;
  readonly run: string;
  /** Folders that the job sees besides its own. */
  readonly mounts?: readonly MountOrder[];
  /** The job says that it saves its work: the folder for it must outlast attempts, whatever that costs. */
  readonly checkpoint?: true;
  /** What to keep when the member has ended; absent = nothing. */
  readonly outputs?: OutputsOrder;
  readonly env: { readonly [name: string]: string };
  /** Clear text, in memory only: an engine must not write them anywhere that outlives the member. */
  readonly secrets: { readonly [name: string]: string };
  /** Secrets that only the process of the engine can open, where it keeps their key: rows and sealed values in base64. */
  readonly sealedSecrets?: { readonly [name: string]: { readonly row: string; readonly value: string } };
  readonly limits: Limits;
  /** Refuse to prepare where one of the limits cannot be enforced. */
  readonly strict: boolean;
  /** How it is stopped when the engine itself must stop it, at the time limit. */
  readonly stop: StopOrder;
  /** Orders below the highest epoch an engine has seen are refused: they come from a control plane that was replaced. */
  readonly epoch: number;
}

/** What a tenant may hold at most and how far it is trusted: a backstop behind what the scheduler decides. */
export interface TenantTerms {
  readonly trust: Trust;
  /** Trusted tenants of one group may share what is kept from others, such as an MPS server; absent = it shares with none. */
  readonly trustGroup?: string;
  /** Whole GPUs of all models together; absent = no limit. */
  readonly gpusMax?: number;
  /** Beginnings of the images that its jobs may use; absent = all. */
  readonly images?: readonly string[];
}

/** A tree of the tenant's content, or a repository that is fetched inside the job, as its user, before `setup`. */
export type CodeOrder = { readonly tree: string } | { readonly git: { readonly url: string; readonly ref?: string } };

/**
 * Something shown at an absolute path: a folder of the node, a tree of the tenant's content, which cannot be written, or a
 * claim on storage that the cluster keeps for the tenant.
 */
export type MountOrder =
  | { readonly at: string; readonly claim: string; readonly readOnly: boolean }
  | { readonly at: string; readonly folder: string; readonly readOnly: boolean }
  | { readonly at: string; readonly tree: string };

/** Which files of a member are kept after its end, and how much of them. */
export interface OutputsOrder {
  /** Patterns of paths by name; absent = the output folder, and what was written into the work folder. */
  readonly declared?: { readonly [name: string]: string };
  readonly bytesMax: number;
}

export interface Limits {
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** The size of /dev/shm, which counts in its memory; absent = the machine's default. */
  readonly shmMiB?: number;
  /** What the work, temporary and output folders may hold together; absent = not limited. */
  readonly scratchMiB?: number;
  /** What the folder that survives attempts may hold; absent = not limited. */
  readonly checkpointMiB?: number;
  readonly processesMax: number;
  /** What the log of the member may hold; absent = what the engine keeps by itself. */
  readonly logMiB?: number;
  /** Wall time from start to the stop signal; 0 = none. The engine enforces it, also while the control plane is away. */
  readonly runMsMax: number;
}

/** `none`: only its gang; `declared`: also what `allow` names, each as `host:port`; `all`: everything but the machine and other jobs. */
export interface NetworkOrder {
  readonly egress: "none" | "declared" | "all";
  readonly allow?: readonly string[];
}

export interface StopOrder {
  readonly signal: string;
  readonly graceMs: number;
  /** The job starts again afterwards: no outputs are kept. */
  readonly returns?: boolean;
}

/** The order comes from a control plane that was replaced: its epoch is below the highest this engine has seen. */
export class EngineFenced extends Error {
  readonly epoch: number;
  readonly epochSeen: number;
  constructor(lease: LeaseId, epoch: number, epochSeen: number) {
    super(
      `lease ${lease} is ordered with epoch ${epoch}, but epoch ${epochSeen} has been seen: another control plane is in charge`,
    );
    this.epoch = epoch;
    this.epochSeen = epochSeen;
  }
}

/** Checks of a node by names of the owner's folder of checks; absent = all of its kind. */
export interface CheckAsk {
  readonly names?: readonly string[];
  /** Only these GPUs; absent = all of the node. */
  readonly gpuUuids?: readonly string[];
  /** Real work comes first: what runs is ended, and counts neither as passed nor as failed. */
  readonly signal?: AbortSignal;
}

export interface CheckResult {
  readonly name: string;
  readonly gpuUuid?: string;
  readonly result: "passed" | "failed" | "skipped" | "ended";
  /** What was measured, with its unit, and what it was compared with. */
  readonly measured?: string;
  readonly expected?: string;
  readonly text: string;
  readonly ms: number;
}

/** A lease as the engine knows it. */
export interface EngineLease {
  readonly lease: LeaseId;
  readonly state: "held" | "running" | "stopping" | "gone";
  /** The number of its newest report. */
  readonly sequence: number;
}

export interface LogLine {
  readonly at: number;
  readonly rank: number;
  readonly stream: "stdout" | "stderr" | "setup" | "tessera";
  readonly text: string;
}

export interface LogQuery {
  readonly tail?: number;
  readonly sinceAt?: number;
  /** Goes on until the member is gone. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** The folders that a member may write: its own two, and that of the whole job. */
export type JobFolder = "work" | "out" | "checkpoint";

export interface FileEntry {
  readonly path: string;
  /** Permissions alone. */
  readonly mode: number;
  readonly bytes: number;
  readonly changedAt: number;
  /** Where a link points; absent for a file. */
  readonly link?: string;
}

export interface FileContent {
  readonly mode: number;
  /** The size it had when it was opened; no more is given. */
  readonly bytes: number;
  readonly content: AsyncGenerator<Uint8Array>;
}

/**
 * What runs jobs. Every engine passes the suite in `suite.ts`. All calls are idempotent per lease and may be repeated
 * after a crash of either side; results come as reports, never as return values, because a call may time out after
 * it took effect.
 */
export interface Engine {
  readonly name: string;
  readonly capabilities: Capabilities;
  /**
   * From now on this control plane is in charge: what an earlier one still has under way takes no effect. Called once, before
   * anything else but `inventory`; absent where the engine belongs to the process that drives it.
   */
  takeOver?(epoch: number): Promise<void>;
  /** What answers, in its own words, such as `Kubernetes v1.37.1`. Throws with what stands in the way. */
  about?(): Promise<string>;
  /** The whole fleet, or an error; never a part of it. */
  inventory(): Promise<readonly NodeFacts[]>;
  /** Told when the inventory may have changed, so that it is not only asked for now and then. One listener. */
  onInventory?(listener: () => void): void;
  /** What the GPUs and the members of this engine do now. Asked every few seconds; absent = it cannot be seen. */
  telemetry?(): Promise<Telemetry>;
  /** Told what may be a fault of a node, also what was seen since the process before ended. One listener. */
  onHealth?(listener: (finding: HealthFinding) => void): void;
  /** Checks GPUs that no lease holds, or those of the leases of the tenant that asks. */
  check?(node: string, ask: CheckAsk): Promise<readonly CheckResult[]>;
  /** What the owner decided about a node is shown where it runs: others place nothing there either. */
  markNode?(node: string, mode: "up" | "cordoned", reason: string): Promise<void>;
  /**
   * Makes the member ready and holds it: report `prepared` or `refused`. A lease that is known already is not made
   * twice; one that has ended is reported again as it ended. Throws EngineFenced.
   */
  bind(order: LeaseOrder): Promise<void>;
  /** Lets a held member go: report `started`. */
  release(lease: LeaseId): Promise<void>;
  /**
   * Signal, grace, then everything it left behind: report `exited`. A lease that is not known is remembered as stopped
   * (`exited`, `ran: false`), so that a `bind` which arrives later cannot start it.
   */
  stop(lease: LeaseId, how: StopOrder): Promise<void>;
  /** Every lease not yet forgotten. Complete, or an error. */
  list(): Promise<readonly EngineLease[]>;
  /** Reports not yet acknowledged, oldest first per lease, then live ones. One listener. */
  subscribe(listener: (report: Report) => void): void;
  /** Reports of this lease up to `sequence` are durable. After its last one the engine may forget all but how it ended. */
  acknowledge(lease: LeaseId, sequence: number): Promise<void>;
  /** Also after the end, as long as logs are kept. */
  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine>;
  /** A way into a running member. Throws EntryRefused. */
  open(lease: LeaseId, ask: EntryAsk): Promise<Entry>;
  /** The TCP ports that processes of the member listen on, in ascending order. Throws EntryRefused. */
  ports(lease: LeaseId): Promise<readonly number[]>;
  /**
   * What lies in a folder of a member now, in no order; nothing where the folder is gone. Links are told and never followed.
   * A checkpoint is there for as long as it is kept, also after the end.
   */
  files(lease: LeaseId, folder: JobFolder): AsyncIterable<FileEntry>;
  /** One of these files from the byte `start` on; undefined where there is no such file. To be read to its end or closed. */
  readFile(lease: LeaseId, folder: JobFolder, path: string, start: number): Promise<FileContent | undefined>;
  /**
   * Removes what is kept for a whole job, such as its checkpoint, a while after the job was first seen to have ended.
   * To be called now and then.
   */
  sweep(isLive: (job: JobId) => boolean): Promise<void>;
  /** Lets go of watches and files. Members keep running. */
  close(): Promise<void>;
}
