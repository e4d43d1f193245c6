import type { CheckRecord, FindingSource, HealthAction } from "../model/health.ts";
import type { AccountNo, JobNo, NodeNo } from "../model/ids.ts";
import type { Instant } from "../model/units.ts";
import type { Head } from "./head.ts";

export type HealthEvent = FindingNoted | ChecksNoted | RepairOpened | RepairNoted | RepairClosed;

/** Something was seen of a node, with what follows from it by the catalogue [H1]. */
export interface FindingNoted extends Head<"finding-noted"> {
  readonly node: NodeNo;
  readonly gpuUuid?: string;
  readonly source: FindingSource;
  readonly code: string;
  readonly text: string;
  readonly seenAt: Instant;
  /** How often it was seen, where that is more than once. */
  readonly count?: number;
  readonly action: HealthAction;
  /** The job whose program is to blame, what it is told, and its tenant [H2]. */
  readonly blamed?: { readonly job: JobNo; readonly tenant: AccountNo; readonly fault: string };
}
/** Active checks of a node have run. */
export interface ChecksNoted extends Head<"checks-noted"> {
  readonly node: NodeNo;
  readonly results: readonly CheckRecord[];
}
export interface RepairOpened extends Head<"repair-opened"> {
  readonly repair: number;
  readonly node: NodeNo;
  readonly gpuUuid?: string;
  readonly action: HealthAction;
  readonly cause: string;
  readonly why: string;
  readonly step: string;
  readonly flapping?: true;
}
/** More evidence; with `action` the repair is a harder one from now on. */
export interface RepairNoted extends Head<"repair-noted"> {
  readonly repair: number;
  readonly seenAt: Instant;
  readonly text: string;
  readonly action?: HealthAction;
  readonly step?: string;
}
export interface RepairClosed extends Head<"repair-closed"> {
  readonly repair: number;
  readonly why: string;
}
