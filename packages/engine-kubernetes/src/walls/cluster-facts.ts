import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import type { KubeObject, List, Node, Pod } from "../api/types.ts";
import type { GpuSource } from "../nodes/gpus.ts";
import { quotaName } from "./quota.ts";
import { formatRange, mergeRanges, parseRange } from "./ranges.ts";
import type { ClusterFacts } from "./tenant.ts";

/** Exceptions of one rule: each is a rule of the firewall on every node. */
const exceptionsMax = 128;
/** Networks that hand out addresses by themselves do so in blocks; the usual size, by family. */
const blockBits = { 4: 26, 6: 122 } as const;
/** Counted also while no node has any. */
const wholeGpus = quotaName({ kind: "plugin", resource: "nvidia.com/gpu" });

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

/** What is seen of a cluster. */
export interface Seen {
  readonly nodes: readonly Node[];
  readonly pods: Iterable<Pod>;
  readonly gpus: Iterable<GpuSource>;
  /** The ranges of services. */
  readonly services: readonly string[];
}

/** What walls need to know of a cluster, from what runs in it. */
export function clusterFacts({ nodes, pods, gpus, services }: Seen): ClusterFacts {
  const addresses = nodes.flatMap(({ status }) =>
    (status?.addresses ?? []).filter(({ type }) => type !== "Hostname").map(({ address }) => address),
  );
  const ranges = new Map(nodes.map(({ metadata, spec }) => [metadata.name, spec?.podCIDRs ?? []]));
  const blocks = blocksOf(pods, ({ nodeName = "" }) => ranges.get(nodeName)?.length === 0, new Set(addresses));
  return {
    gpuNames: [...new Set([wholeGpus, ...[...gpus].map(quotaName)])].sort(),
    ranges: mergeRanges([...services, ...[...ranges.values()].flat(), ...blocks, ...addresses], exceptionsMax),
  };
}

/** Where a node does not say which addresses its pods have, those that are seen tell. */
function blocksOf(
  pods: Iterable<Pod>,
  isUntold: (spec: Pod["spec"]) => boolean,
  nodeAddresses: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { spec, status } of pods) {
    const { podIP } = status ?? {};
    if (podIP === undefined || nodeAddresses.has(podIP) || !isUntold(spec)) continue;
    const range = parseRange(`${podIP}/${podIP.includes(":") ? blockBits[6] : blockBits[4]}`);
    if (range !== undefined) found.add(formatRange(range));
  }
  return found;
}
