import type { TenantTerms } from "@tessera/engine";
import type { Metadata } from "../api/types.ts";
import type { GpuSource } from "../nodes/gpus.ts";
import type { WallObject } from "./object.ts";

/**
 * More than a tenant's jobs ever need: a pod, a secret and a claim for each member, and a service for each gang. Written as the
 * API server writes numbers, so that what it holds can be compared.
 */
const countsMax = {
  pods: "20k",
  "count/secrets": "20k",
  "count/configmaps": "20k",
  "count/services": "5k",
  "count/resourceclaims.resource.k8s.io": "20k",
  persistentvolumeclaims: "5k",
  "services.loadbalancers": "0",
  "services.nodeports": "0",
} as const;

/** A backstop behind what the scheduler decides: no more GPUs than the tenant's max, under every name they have here. */
export function quotaOf(
  metadata: Omit<Metadata, "name">,
  terms: TenantTerms | undefined,
  gpuNames: readonly string[],
): WallObject {
  const most = terms?.gpusMax;
  const gpuLimits = most === undefined ? [] : gpuNames.map((name) => [name, quantityOf(most)]);
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { ...metadata, name: "tessera" },
    spec: { hard: { ...countsMax, ...Object.fromEntries(gpuLimits) } },
  };
}

/** The name under which a quota counts what is asked for like this. */
export function quotaName(source: GpuSource): string {
  return source.kind === "plugin"
    ? `requests.${source.resource}`
    : `${source.deviceClass}.deviceclass.resource.k8s.io/devices`;
}

/** What a container gets that says nothing; Tessera's own always say it. */
export function limitRangeOf(metadata: Omit<Metadata, "name">): WallObject {
  return {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { ...metadata, name: "tessera" },
    spec: {
      limits: [
        {
          type: "Container",
          default: { cpu: "1", memory: "1Gi" },
          defaultRequest: { cpu: "100m", memory: "256Mi" },
        },
      ],
    },
  };
}

/** A number as the API server writes it: 20000 is "20k". */
export function quantityOf(count: number): string {
  const suffixes = ["", "k", "M", "G"];
  let [value, step] = [count, 0];
  while (value > 0 && value % 1000 === 0 && step < suffixes.length - 1) [value, step] = [value / 1000, step + 1];
  return `${value}${suffixes[step]}`;
}
