import type { LeaseOrder } from "@tessera/engine";
import { isStatus } from "../api/error.ts";
import type { KubeObject, List } from "../api/types.ts";
import { label, labelValue, namespaceOf } from "../names.ts";
import { jobPolicy } from "./network.ts";
import { everywhere, pathOf, type WallObject } from "./object.ts";
import { settle } from "./settle.ts";
import type { WallsPorts } from "./walls.ts";

/** The exact id; the label may have a hash of it. */
const jobAnnotation = "tessera.dev/job";

/** The network policies of single jobs: those of gangs, and those that declare where they go. Most jobs need none. */
export class JobPolicies {
  readonly #ports: WallsPorts;
  /** By job and attempt: the policy, and that it was made. */
  readonly #made = new Map<string, { readonly policy: WallObject; readonly done: Promise<void> }>();

  constructor(ports: WallsPorts) {
    this.#ports = ports;
  }

  async ensure(order: LeaseOrder): Promise<void> {
    const { job, tenant } = order;
    const policy = jobPolicy(order, {
      namespace: namespaceOf(tenant),
      labels: { [label.engine]: this.#ports.name, [label.tenant]: labelValue(tenant) },
      annotations: { [jobAnnotation]: job },
    });
    if (policy === undefined) return;
    const key = `${job} ${order.attempt}`;
    const made = this.#made.get(key) ?? { policy, done: settle(this.#ports.client, policy) };
    this.#made.set(key, made);
    try {
      await made.done;
    } catch (error) {
      this.#made.delete(key);
      throw error;
    }
  }

  /** Those that stand in a namespace, as they should be. */
  of(namespace: string): readonly WallObject[] {
    return [...this.#made.values()].flatMap(({ policy }) => (policy.metadata.namespace === namespace ? [policy] : []));
  }

  /** Removes those of jobs that have ended. */
  async sweep(isLive: (job: string) => boolean): Promise<void> {
    const { client, name } = this.#ports;
    for (const key of this.#made.keys()) if (!isLive(key.split(" ")[0]!)) this.#made.delete(key);
    const { items } = await client.get<List<KubeObject>>(everywhere("networking.k8s.io/v1", "NetworkPolicy"), {
      query: { labelSelector: `${label.engine}=${name},${label.job}` },
    });
    for (const { metadata } of items) {
      const job = metadata.annotations?.[jobAnnotation];
      if (job === undefined || isLive(job)) continue;
      const gone: WallObject = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata };
      await client.delete(pathOf(gone), { preconditions: { uid: metadata.uid } }).catch((error: unknown) => {
        if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
      });
    }
  }
}
