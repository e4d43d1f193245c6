import { createHash } from "node:crypto";
import type { FakeGpu, FakeInstance } from "./state.ts";

/** What a run of the tool prints, and its exit code. */
export interface Answer {
  readonly code: number;
  readonly lines: readonly string[];
}

export function say(...lines: string[]): Answer {
  return { code: 0, lines };
}

export function fail(code: number, ...lines: string[]): Answer {
  return { code, lines };
}

/** Exit codes as they were recorded. */
export const codes = { notFound: 6, inUse: 19, insufficient: 23, unsupported: 3 } as const;

export function busIdOf({ minor }: FakeGpu): string {
  return `00000000:00:${String(6 + minor).padStart(2, "0")}.0`;
}

/** Instances of one GPU get the same uuid whenever they are made again: the driver derives it from their ids. */
export function migUuidOf({ uuid }: FakeGpu, { gi }: FakeInstance): string {
  const hex = createHash("sha1").update(`${uuid}/${gi}/0`).digest("hex");
  return `MIG-${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** MIG devices in the order in which the tool numbers them. */
export function migDevices({ instances }: FakeGpu): FakeInstance[] {
  return instances.filter(({ compute }) => compute).sort((a, b) => a.gi - b.gi);
}

/** The minor number of the node that opens an instance; that of its compute instance is the next. */
export function capabilityMinor({ gi }: Pick<FakeInstance, "gi">): number {
  return gi * 9 + 3;
}
