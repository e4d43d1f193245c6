import { createHash } from "node:crypto";

/** The labels, annotations and names by which this engine recognises what it made. */
export const systemNamespace = "tessera-system";
export const epochName = "tessera-epoch";
export const heldGate = "tessera.dev/held";
/** No scheduler of the cluster has this name: pods with it stay where they are until Tessera binds them. */
export const ownScheduler = "tessera";
export const reportFinalizer = "tessera.dev/report";

export const label = {
  engine: "tessera.dev/engine",
  tenant: "tessera.dev/tenant",
  job: "tessera.dev/job",
  attempt: "tessera.dev/attempt",
  rank: "tessera.dev/rank",
  lease: "tessera.dev/lease",
} as const;

export const annotation = {
  lease: "tessera.dev/lease",
  account: "tessera.dev/account",
  /** The hash of the order. */
  order: "tessera.dev/order",
  /** The control plane that holds the pod. */
  instance: "tessera.dev/instance",
  epoch: "tessera.dev/epoch",
  /** What reports need and the pod's own fields do not say. */
  boot: "tessera.dev/boot",
  scrub: "tessera.dev/scrub",
  reshape: "tessera.dev/reshape",
  runMsMax: "tessera.dev/run-ms-max",
  /** The stop order that was given. */
  stop: "tessera.dev/stop",
  /** The signal with which the pod stops, where it is not SIGTERM. */
  signal: "tessera.dev/signal",
  /** What its log may hold. */
  logMiB: "tessera.dev/log-mib",
  /** Of a claim: the exact id of its job, and when that was first seen to have ended. */
  job: "tessera.dev/job",
  ended: "tessera.dev/ended",
  /** Where Tessera binds it, if it does that itself. */
  node: "tessera.dev/node",
  /** The address of rank 0, set at the release of the others. */
  master: "tessera.dev/master",
} as const;

/** Of the epoch object: the epoch of the control plane that is in charge of this engine. */
export function epochAnnotation(engine: string): string {
  return `epoch.tessera.dev/${engine}`;
}

/** The container in which the member runs. */
export const memberContainer = "member";

export function namespaceOf(tenant: string): string {
  return safeName("tess", tenant);
}

export function podNameOf(lease: string): string {
  return safeName("tess", lease);
}

/** A value for a label; the exact one stands in an annotation where it matters. */
export function labelValue(text: string): string {
  return /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text) ? text : `h-${hashOf(text)}`;
}

/**
 * A name that Kubernetes takes, different for different ids. Ids of ours are lower case with one `_` at a fixed place, which
 * becomes `-`; anything else gets a hash.
 */
function safeName(prefix: string, id: string): string {
  const plain = id.replace("_", "-");
  const regular = /^[a-z]+_[a-z0-9]+(\.\d+)?(-\d+-\d+)?$/.test(id);
  if (regular && !id.includes(".") && prefix.length + 1 + plain.length <= 63) return `${prefix}-${plain}`;
  const stem = plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-+|-+$/g, "");
  return `${prefix}-${stem === "" ? "x" : stem}-h${hashOf(id)}`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}
