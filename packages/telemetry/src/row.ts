import type { AccountId, JobId, LeaseId, UserId } from "@tessera/core";
import type { GpuMetrics, TelemetrySource } from "@tessera/engine";

/** Whose it was while it was measured. Absent as a whole: no lease held it. */
export interface Holder {
  readonly lease: LeaseId;
  readonly job: JobId;
  readonly rank: number;
  readonly account: AccountId;
  readonly user: UserId;
}

/** One GPU or one instance of it, as one lease holds it, over a stretch of time. */
export interface TelemetryRow extends Partial<Holder> {
  /** The end of the stretch, and its length. */
  readonly at: number;
  readonly spanMs: number;
  /** Unique in the fleet: `engine/name`. */
  readonly node: string;
  readonly gpu: string;
  /** The uuid of the MIG instance. */
  readonly instance?: string;
  readonly model: string;
  /** What is held of the GPU, in 21,000ths. The shares of the rows of one GPU add up to one GPU at most. */
  readonly share: number;
  readonly source: TelemetrySource;
  /** Its memory is that of this share alone; all else, and the memory of others, is that of the whole GPU. */
  readonly apart?: true;
  readonly metrics: GpuMetrics;
}

/** What the processes of one member did over a stretch of time. */
export interface MemberRow extends Holder {
  readonly at: number;
  readonly spanMs: number;
  readonly node: string;
  readonly source: TelemetrySource;
  /** Of its GPUs; absent for members without any. */
  readonly model?: string;
  readonly cpusMilli?: number;
  readonly memoryMiB?: number;
}
