import type { LeaseOrder } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { Toleration } from "../api/types.ts";
import { label, labelValue, namespaceOf } from "../names.ts";
import type { KubernetesSettings } from "../settings.ts";

/** Where the pods of a tenant run, and what each of them must carry. */
export interface TenantPlace {
  readonly namespace: string;
  readonly serviceAccount?: string;
  readonly runtimeClass?: string;
  readonly tolerations: readonly Toleration[];
  readonly pullSecrets: readonly string[];
}

/** What keeps the pods of a tenant apart from everything else. */
export interface Walls {
  /** Makes sure that the walls of the order's tenant stand. Throws MemberRefused where they cannot. */
  ensure(order: LeaseOrder): Promise<TenantPlace>;
  close(): void;
}

export interface WallsPorts {
  /** The name of the engine. */
  readonly name: string;
  readonly client: ApiClient;
  readonly settings: KubernetesSettings;
  readonly warn: (text: string) => void;
}

export function openWalls({ name, client }: WallsPorts): Walls {
  const made = new Set<string>();
  return {
    async ensure({ tenant }) {
      const namespace = namespaceOf(tenant);
      if (!made.has(namespace)) {
        const labels = { [label.engine]: name, [label.tenant]: labelValue(tenant) };
        await client.post(paths.namespaces, { metadata: { name: namespace, labels } }).catch(unlessThere);
        made.add(namespace);
      }
      return { namespace, tolerations: [], pullSecrets: [] };
    },
    close() {},
  };
}

function unlessThere(error: unknown): void {
  if (!isStatus(error, 409)) throw error;
}
