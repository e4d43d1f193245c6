import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import type { KubeObject, List, Node } from "../api/types.ts";
import { replicasOf } from "../pods/parts.ts";
import { mergeRanges } from "./ranges.ts";
import type { ClusterFacts } from "./tenant.ts";

/** Exceptions of one rule: each is a rule of the firewall on every node. */
const exceptionsMax = 128;
/** The smallest profiles cut a GPU into seven. */
const partsPerGpu = 7;

interface ServiceCidr extends KubeObject {
  readonly spec?: { readonly cidrs?: readonly string[] };
}

/** The ranges of services; none where the cluster is older than the object that names them (1.33). */
export async function serviceRanges(client: ApiClient): Promise<readonly string[]> {
  try {
    const { items } = await client.get<List<ServiceCidr>>("/apis/networking.k8s.io/v1/servicecidrs");
    return items.flatMap(({ spec }) => spec?.cidrs ?? []);
  } catch (error) {
    if (isStatus(error, 404)) return [];
    throw error;
  }
}

/** What walls need to know of a cluster, from its nodes. */
export function clusterFacts(nodes: readonly Node[], services: readonly string[]): ClusterFacts {
  const addresses = nodes.flatMap(({ status }) =>
    (status?.addresses ?? []).filter(({ type }) => type !== "Hostname").map(({ address }) => address),
  );
  const pods = nodes.flatMap(({ spec }) => spec?.podCIDRs ?? []);
  const resources = new Map<string, number>([["nvidia.com/gpu", 1]]);
  for (const node of nodes) {
    for (const name of Object.keys(node.status?.allocatable ?? {})) {
      const most = name.startsWith("nvidia.com/mig-") ? partsPerGpu : replicasOf(node.metadata.labels ?? {});
      if (name.startsWith("nvidia.com/")) resources.set(name, Math.max(most, resources.get(name) ?? 1));
    }
  }
  return {
    gpus: resources,
    ranges: mergeRanges([...services, ...pods, ...addresses], exceptionsMax),
  };
}
