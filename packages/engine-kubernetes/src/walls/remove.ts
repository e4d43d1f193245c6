import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { KubeObject, List, Node, Pod } from "../api/types.ts";
import { epochName, label, systemNamespace } from "../names.ts";
import { cordonAnnotation } from "../nodes/facts.ts";
import { dedicatedTaint } from "./tenant.ts";

/**
 * Takes away what Tessera has made in a cluster that it leaves: namespaces of tenants, marks on nodes, the epoch object. A
 * namespace in which something still runs or is stored stays; each line says what happened.
 */
export async function removeAll(client: ApiClient): Promise<readonly string[]> {
  const said: string[] = [];
  const { items: namespaces } = await client.get<List<KubeObject>>(paths.namespaces, {
    query: { labelSelector: label.engine },
  });
  for (const { metadata } of namespaces) said.push(await removeNamespace(client, metadata.name));
  const { items: nodes } = await client.get<List<Node>>(paths.nodes);
  for (const node of nodes) await unmark(client, node);
  await client.delete(paths.serviceAccount(systemNamespace, epochName), undefined).catch(unlessGone);
  return said;
}

async function removeNamespace(client: ApiClient, name: string): Promise<string> {
  const { items: pods } = await client.get<List<Pod>>(paths.pods(name));
  const running = pods.filter(({ status }) => !/^(Succeeded|Failed)$/.test(status?.phase ?? ""));
  const { items: volumes } = await client.get<List<KubeObject>>(`${paths.namespace(name)}/persistentvolumeclaims`);
  if (running.length + volumes.length > 0) {
    return `namespace ${name} stays: it has ${running.length} pods that run and ${volumes.length} volumes; delete it with kubectl delete namespace ${name}`;
  }
  // No control plane is left that would acknowledge how these ended.
  for (const { metadata } of pods)
    await client.patch(paths.pod(name, metadata.name), { metadata: { finalizers: null } });
  await client.delete(paths.namespace(name), undefined).catch(unlessGone);
  return `namespace ${name} is removed`;
}

async function unmark(client: ApiClient, { metadata, spec }: Node): Promise<void> {
  const taints = (spec?.taints ?? []).filter(({ key }) => key !== dedicatedTaint);
  const isTainted = taints.length < (spec?.taints ?? []).length;
  const isCordoned = metadata.annotations?.[cordonAnnotation] !== undefined;
  if (!isTainted && !isCordoned) return;
  const { name, resourceVersion } = metadata;
  await client.patch(paths.node(name), {
    metadata: { resourceVersion, annotations: { [cordonAnnotation]: null } },
    spec: { taints, ...(isCordoned && { unschedulable: null }) },
  });
}

function unlessGone(error: unknown): void {
  if (!isStatus(error, 404)) throw error;
}
