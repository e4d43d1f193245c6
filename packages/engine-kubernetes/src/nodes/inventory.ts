import type { NodeFacts, NodeOffers } from "@tessera/core";
import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import { withoutNoise } from "../api/keep.ts";
import { Mirror } from "../api/mirror.ts";
import { paths } from "../api/paths.ts";
import type { Node, Pod, ResourceClaim, ResourceSlice } from "../api/types.ts";
import { label } from "../names.ts";
import type { KubernetesSettings } from "../settings.ts";
import { cordonAnnotation, type NodeView, viewOf } from "./facts.ts";
import { claimedDevices, foreignByNode } from "./foreign.ts";
import type { GpuSource } from "./gpus.ts";

export interface InventoryPorts {
  readonly engine: string;
  readonly client: ApiClient;
  readonly settings: KubernetesSettings;
  readonly offers: NodeOffers;
  /** A node is not in the cluster any more. */
  readonly onNodeGone: (name: string) => void;
}

const readyMsMax = 15_000;
/** Many changes come together: nodes join in waves, and foreign pods come and go. */
const debounceMs = 1_000;

/** The nodes of the cluster, from watches: nodes, slices of devices, and what pods and claims of others hold. */
export class Inventory {
  readonly #ports: InventoryPorts;
  readonly #nodes: Mirror<Node>;
  readonly #slices: Mirror<ResourceSlice>;
  readonly #foreign: Mirror<Pod>;
  readonly #claims: Mirror<ResourceClaim>;
  #views: ReadonlyMap<string, NodeView> | undefined;
  #listener: (() => void) | undefined;
  #told: NodeJS.Timeout | undefined;

  constructor(ports: InventoryPorts) {
    this.#ports = ports;
    const { client, engine } = ports;
    const changed = () => this.#changed();
    const notOurs = { labelSelector: `${label.engine}!=${engine}` };
    this.#nodes = new Mirror<Node>(client, {
      path: paths.nodes,
      pathOf: ({ metadata }) => paths.node(metadata.name),
      keep: withoutNoise,
      onChange: (now, before) => {
        if (now === undefined && before !== undefined) ports.onNodeGone(before.metadata.name);
        if (!isHeartbeat(now, before)) changed();
      },
    });
    this.#slices = new Mirror<ResourceSlice>(client, {
      path: paths.resourceSlices,
      pathOf: ({ metadata }) => `${paths.resourceSlices}/${metadata.name}`,
      keep: withoutNoise,
      optional: true,
      onChange: changed,
    });
    this.#foreign = new Mirror<Pod>(client, {
      path: paths.allPods,
      query: { ...notOurs, fieldSelector: "status.phase!=Succeeded,status.phase!=Failed" },
      pathOf: ({ metadata }) => paths.pod(metadata.namespace!, metadata.name),
      keep: onlyRequests,
      onChange: changed,
    });
    this.#claims = new Mirror<ResourceClaim>(client, {
      path: paths.allClaims,
      query: notOurs,
      pathOf: ({ metadata }) => paths.claim(metadata.namespace!, metadata.name),
      keep: withoutNoise,
      optional: true,
      onChange: changed,
    });
  }

  async all(): Promise<readonly NodeFacts[]> {
    await this.ready();
    const views = this.#views ?? this.#look();
    return [...views.values()].map(({ facts }) => facts);
  }

  async ready(): Promise<void> {
    await Promise.all(this.#mirrors.map((mirror) => mirror.ready(readyMsMax)));
  }

  view(node: string): NodeView | undefined {
    return (this.#views ?? this.#look()).get(node);
  }

  nodes(): IterableIterator<Node> {
    return this.#nodes.values();
  }

  /** Those that have not ended, with no more than their node, their address and what they ask for. */
  foreignPods(): IterableIterator<Pod> {
    return this.#foreign.values();
  }

  /** How all GPUs of the cluster are asked for. */
  *gpuSources(): Generator<GpuSource> {
    for (const { sources } of (this.#views ?? this.#look()).values()) yield* sources.values();
  }

  listen(listener: () => void): void {
    this.#listener = listener;
  }

  /** Cordons a node with our mark, or takes back what bears it. What others have cordoned stays so. */
  async mark(name: string, mode: "up" | "cordoned", reason: string): Promise<void> {
    const node = this.#nodes.get(name);
    const ours = node?.metadata.annotations?.[cordonAnnotation];
    if (
      mode === "cordoned" ? ours === reason || (node?.spec?.unschedulable && ours === undefined) : ours === undefined
    ) {
      return;
    }
    const change =
      mode === "cordoned"
        ? { metadata: { annotations: { [cordonAnnotation]: reason } }, spec: { unschedulable: true } }
        : { metadata: { annotations: { [cordonAnnotation]: null } }, spec: { unschedulable: null } };
    try {
      this.#nodes.put(await this.#ports.client.patch<Node>(paths.node(name), change));
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }

  close(): void {
    clearTimeout(this.#told);
    for (const mirror of this.#mirrors) mirror.close();
  }

  get #mirrors(): readonly { ready(timeoutMs: number): Promise<void>; close(): void }[] {
    return [this.#nodes, this.#slices, this.#foreign, this.#claims];
  }

  #look(): ReadonlyMap<string, NodeView> {
    const { engine, settings, offers } = this.#ports;
    const slices = new Map<string, ResourceSlice[]>();
    for (const slice of this.#slices.values()) {
      const { nodeName = "" } = slice.spec;
      slices.set(nodeName, [...(slices.get(nodeName) ?? []), slice]);
    }
    const foreign = foreignByNode(this.#foreign.values());
    const claimed = claimedDevices(this.#claims.values());
    const nodes = [...this.#nodes.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    this.#views = new Map(
      nodes.map((node) => {
        const { name } = node.metadata;
        const around = {
          engine,
          settings,
          offers,
          slices: slices.get(name) ?? [],
          foreign: foreign.get(name),
          claimed,
        };
        return [name, viewOf(node, around)];
      }),
    );
    return this.#views;
  }

  #changed(): void {
    this.#views = undefined;
    this.#told ??= setTimeout(() => {
      this.#told = undefined;
      this.#listener?.();
    }, debounceMs).unref();
  }
}

/** What the scheduler of the cluster counts of a pod that is not ours; nothing else of it is kept. */
function onlyRequests({ metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion } = metadata;
  const slim = ({ name, resources, restartPolicy }: Pod["spec"]["containers"][number]) => ({
    name,
    ...(resources && { resources }),
    ...(restartPolicy && { restartPolicy }),
  });
  return {
    metadata: {
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
    },
    spec: {
      containers: spec.containers.map(slim),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(slim) }),
      ...(spec.nodeName && { nodeName: spec.nodeName }),
      ...(spec.overhead !== undefined && { overhead: spec.overhead }),
    },
    status: { ...(status?.phase && { phase: status.phase }), ...(status?.podIP && { podIP: status.podIP }) },
  };
}

/** Kubelets report now and then that nothing has changed. */
function isHeartbeat(now: Node | undefined, before: Node | undefined): boolean {
  return now !== undefined && before !== undefined && gist(now) === gist(before);
}

function gist({ metadata, spec, status }: Node): string {
  const conditions = status?.conditions?.map(({ type, status: value }) => `${type}=${value}`);
  const { labels, annotations } = metadata;
  const { allocatable, capacity, nodeInfo, addresses } = status ?? {};
  const cordoned = annotations?.[cordonAnnotation];
  return JSON.stringify([labels, cordoned, spec, allocatable, capacity, nodeInfo?.bootID, addresses, conditions]);
}
