import { type Policy, type TreeLimits, usualContentLimits } from "@tessera/core";

const mebibyte = 1_048_576;

/** What the folder sent with one job may hold. */
export function snapshotLimits(policy: Policy): TreeLimits {
  const { snapshotFilesMax, snapshotMiBMax } = { ...usualContentLimits, ...policy };
  return { filesMax: snapshotFilesMax, bytesMax: snapshotMiBMax * mebibyte };
}

/** What is kept for one tenant, in bytes. */
export function tenantBytesMax(policy: Policy): number {
  return (policy.contentMiBMax ?? usualContentLimits.contentMiBMax) * mebibyte;
}
