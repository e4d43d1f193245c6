import type { TenantTerms } from "@tessera/engine";
import type { KubeObject, Toleration } from "../api/types.ts";
import { label, labelValue, namespaceOf, systemNamespace } from "../names.ts";
import type { KubernetesSettings } from "../settings.ts";
import { tenantPolicies } from "./network.ts";
import type { WallObject } from "./object.ts";
import { limitRangeOf, quotaOf } from "./quota.ts";

/** The beginnings of images that pods of a namespace may have, one per line; the admission policy reads it. Absent = all. */
export const imagesAnnotation = "tessera.dev/images";
/** The tenant and its terms as they were last ordered: walls are kept also while no job of it is started. */
export const termsAnnotation = "tessera.dev/terms";
/** On a node that a confidential tenant has to itself. */
export const dedicatedTaint = "tessera.dev/tenant";
export const jobAccount = "tessera-job";
export const pullSecretName = "tessera-pull";
/** What Tessera may do inside the namespaces of tenants, and nowhere else: deploy/kubernetes/rbac.yaml. */
const tenantRole = "tessera-tenant";
const tesseraAccount = "tessera";

/** What walls need to know of the cluster. */
export interface ClusterFacts {
  /** The names under which a quota counts GPUs here. */
  readonly gpuNames: readonly string[];
  /** Addresses of nodes, pods and services. */
  readonly ranges: readonly string[];
}

export interface Tenant {
  readonly engine: string;
  readonly tenant: string;
  readonly terms: TenantTerms | undefined;
}

/**
 * Everything that stands around the pods of a tenant, in the order in which it is made: first what the rest needs. Pure; the
 * same values make the same objects.
 */
export function wallsOf(
  { engine, tenant, terms }: Tenant,
  settings: KubernetesSettings,
  cluster: ClusterFacts,
): WallObject[] {
  const namespace = namespaceOf(tenant);
  const labels = { [label.engine]: engine, [label.tenant]: labelValue(tenant) };
  const inside = { namespace, labels };
  return [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace,
        labels: { ...labels, ...restricted },
        annotations: { [termsAnnotation]: JSON.stringify({ tenant, terms }), ...imageList(terms, settings) },
      },
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { ...inside, name: tesseraAccount },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: tenantRole },
      subjects: [{ kind: "ServiceAccount", name: tesseraAccount, namespace: systemNamespace }],
    },
    ...[jobAccount, "default"].map(
      (name): WallObject => ({
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { ...inside, name },
        automountServiceAccountToken: false,
      }),
    ),
    quotaOf(inside, terms, cluster.gpuNames),
    limitRangeOf(inside),
    ...tenantPolicies(inside, cluster.ranges),
  ];
}

/** The tenant of a namespace that was made like this; undefined for any other. */
export function tenantOf(engine: string, { metadata }: KubeObject): Tenant | undefined {
  const text = metadata.annotations?.[termsAnnotation];
  if (text === undefined || metadata.labels?.[label.engine] !== engine) return undefined;
  try {
    const { tenant, terms } = JSON.parse(text) as Pick<Tenant, "tenant" | "terms">;
    return namespaceOf(tenant) === metadata.name ? { engine, tenant, terms } : undefined;
  } catch {
    return undefined; // changed by hand: it is written again with the next order
  }
}

/** Pod Security of the namespace: refused where it is broken, and shown in warnings and the audit log. */
const restricted = Object.fromEntries(
  ["enforce", "warn", "audit"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]),
);

/** Images that the owner of the engine has set are allowed besides those of the tenant. */
function imageList(terms: TenantTerms | undefined, settings: KubernetesSettings): Readonly<Record<string, string>> {
  if (terms?.images === undefined) return {};
  const own = [settings.agentImage, settings.defaultImage].filter((image) => image !== undefined);
  return { [imagesAnnotation]: [...new Set([...terms.images, ...own])].join("\n") };
}

/** The runtime class that its trust asks for; undefined = the cluster's default. */
export function runtimeClassOf(terms: TenantTerms | undefined, settings: KubernetesSettings): string | undefined {
  switch (terms?.trust ?? "trusted") {
    case "untrusted":
      return settings.untrustedRuntime;
    case "confidential":
      return settings.confidentialRuntime;
    case "trusted":
      return undefined;
  }
}

/** What its pods tolerate: the taint that keeps all others off its nodes. */
export function tolerationsOf(tenant: string, terms: TenantTerms | undefined): readonly Toleration[] {
  if (terms?.trust !== "confidential") return [];
  return [{ key: dedicatedTaint, operator: "Equal", value: labelValue(tenant), effect: "NoSchedule" }];
}
