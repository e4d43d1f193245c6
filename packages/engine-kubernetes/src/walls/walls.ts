import type { LeaseOrder } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import { MemberRefused } from "../api/error.ts";
import type { Node, Pod, Toleration } from "../api/types.ts";
import { label, labelValue, namespaceOf } from "../names.ts";
import type { GpuSource } from "../nodes/gpus.ts";
import type { KubernetesSettings } from "../settings.ts";
import { Dedicated, taintOf } from "./dedicated.ts";
import { JobPolicies } from "./job-policies.ts";
import { egressLabel, egressOf } from "./network.ts";
import { read } from "./settle.ts";
import { jobAccount, pullSecretName, runtimeClassOf, tolerationsOf } from "./tenant.ts";
import { TenantWalls } from "./tenant-walls.ts";

/** Where the pods of a tenant run, and what each of them must carry. */
export interface TenantPlace {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly runtimeClass?: string;
  readonly tolerations: readonly Toleration[];
  readonly pullSecrets: readonly string[];
  /** Labels by which policies choose the pod. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What keeps the pods of a tenant apart from everything else. */
export interface Walls {
  /** Makes sure that the walls of the order's tenant stand. Throws MemberRefused where they cannot. */
  ensure(order: LeaseOrder): Promise<TenantPlace>;
  /** Takes away what was made for jobs that have ended. */
  sweep(isLive: (job: string) => boolean): Promise<void>;
  close(): void;
}

export interface WallsPorts {
  /** The name of the engine. */
  readonly name: string;
  readonly client: ApiClient;
  readonly settings: KubernetesSettings;
  /** The nodes and pods of the cluster as they are known now. */
  readonly nodes: () => Iterable<Node>;
  readonly pods: () => Iterable<Pod>;
  /** How its GPUs are asked for. */
  readonly gpus: () => Iterable<GpuSource>;
  readonly warn: (text: string) => void;
}

/** How often what no watch tells is looked at: nodes that were added, nodes that are empty. */
const keepMs = 15_000;

export function openWalls(ports: WallsPorts): Walls {
  const { client, settings, nodes, pods, warn } = ports;
  const jobs = new JobPolicies(ports);
  const tenants = new TenantWalls(ports, (namespace) => jobs.of(namespace));
  const dedicated = new Dedicated(client);
  const runtimes = new Set<string>();

  const isUsed = (node: string, tenant: string) => {
    for (const { metadata, spec, status } of pods()) {
      if (spec.nodeName !== node || metadata.labels?.[label.tenant] !== tenant) continue;
      if (!/^(Succeeded|Failed)$/.test(status?.phase ?? "")) return true;
    }
    return false;
  };
  const timer = setInterval(() => {
    const kept = Promise.all([tenants.keep(), dedicated.keep(nodes(), isUsed)]);
    kept.catch((error: Error) => warn(`walls of tenants: ${error.message}`));
  }, keepMs);
  timer.unref();

  return {
    async ensure(order) {
      const { tenant, tenantTerms } = order;
      const runtimeClass = runtimeClassOf(tenantTerms, settings);
      await checkRuntime(client, runtimes, runtimeClass);
      await tenants.ensure(tenant, tenantTerms);
      await jobs.ensure(order);
      await dedicated.prepare(order, taintOfNode(nodes(), order.node));
      return {
        namespace: namespaceOf(tenant),
        serviceAccount: jobAccount,
        ...(runtimeClass !== undefined && { runtimeClass }),
        tolerations: tolerationsOf(tenant, tenantTerms),
        pullSecrets: settings.pullSecret === undefined ? [] : [pullSecretName],
        labels: { [egressLabel]: egressOf(order), [label.tenant]: labelValue(tenant) },
      };
    },
    sweep: (isLive) => jobs.sweep(isLive),
    close() {
      clearInterval(timer);
      tenants.close();
    },
  };
}

function taintOfNode(nodes: Iterable<Node>, name: string): string | undefined {
  for (const node of nodes) if (node.metadata.name === name) return taintOf(node);
  return undefined;
}

/** A pod with a class that is not installed would be turned away with less to go by. */
async function checkRuntime(client: ApiClient, known: Set<string>, name: string | undefined): Promise<void> {
  if (name === undefined || known.has(name)) return;
  const found = await read(client, `/apis/node.k8s.io/v1/runtimeclasses/${name}`);
  if (found === undefined) {
    throw new MemberRefused(
      `the runtime class ${name}, which this engine sets for the tenant's trust, is not installed in the cluster; install it or set another`,
    );
  }
  known.add(name);
}
