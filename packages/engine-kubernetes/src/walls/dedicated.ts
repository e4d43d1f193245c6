import type { LeaseOrder } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { Node, Taint } from "../api/types.ts";
import { labelValue } from "../names.ts";
import { dedicatedTaint } from "./tenant.ts";

/** A pod is made within this time after its order, or not at all. */
const orderMsMax = 120_000;
const attemptsMax = 4;

/** What is on a node: whether a pod of this tenant, by its label, has not ended there. */
export type IsUsed = (node: string, tenant: string) => boolean;

/**
 * Keeps whole nodes for confidential tenants. The scheduler of Tessera gives such a node to no other tenant; the taint says the
 * same to everything else in the cluster.
 */
export class Dedicated {
  readonly #client: ApiClient;
  /** Which tenant, by its label, ordered on a node last, and when: its pod may not be there yet. */
  readonly #ordered = new Map<string, { readonly tenant: string; readonly at: number }>();

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Before a pod is made. The order of another tenant says that the one before has left. */
  async prepare({ node, tenant, tenantTerms }: LeaseOrder, tainted: string | undefined): Promise<void> {
    const wanted = tenantTerms?.trust === "confidential" ? labelValue(tenant) : undefined;
    if (wanted === undefined) this.#ordered.delete(node);
    else this.#ordered.set(node, { tenant: wanted, at: performance.now() });
    if (tainted !== wanted) await this.#taint(node, wanted);
  }

  /** Frees the nodes that no pod of their tenant is on any more, and taints those again that have lost their taint. */
  async keep(nodes: Iterable<Node>, isUsed: IsUsed): Promise<void> {
    for (const node of nodes) {
      const { name } = node.metadata;
      const tainted = taintOf(node);
      const ordered = this.#ordered.get(name);
      const tenant = ordered?.tenant ?? tainted;
      if (tenant === undefined) continue;
      const isNew = ordered !== undefined && performance.now() - ordered.at < orderMsMax;
      const wanted = isNew || isUsed(name, tenant) ? tenant : undefined;
      if (wanted === undefined) this.#ordered.delete(name);
      if (tainted !== wanted) await this.#taint(name, wanted);
    }
  }

  /** The taints of a node are one list, others' included: it is written only over the version that was read. */
  async #taint(name: string, value: string | undefined): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { metadata, spec } = await this.#client.get<Node>(paths.node(name));
      const others = (spec?.taints ?? []).filter(({ key }) => key !== dedicatedTaint);
      const ours: Taint[] = value === undefined ? [] : [{ key: dedicatedTaint, value, effect: "NoSchedule" }];
      const { resourceVersion } = metadata;
      try {
        await this.#client.patch(paths.node(name), {
          metadata: { resourceVersion },
          spec: { taints: [...others, ...ours] },
        });
        return;
      } catch (error) {
        if (!isStatus(error, 409) || attempt === attemptsMax) throw error;
      }
    }
  }
}

/** The tenant that has the node to itself, as its taint says. */
export function taintOf({ spec }: Node): string | undefined {
  return spec?.taints?.find(({ key }) => key === dedicatedTaint)?.value;
}
