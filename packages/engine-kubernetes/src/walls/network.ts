import type { LeaseOrder } from "@tessera/engine";
import { MemberRefused } from "../api/error.ts";
import type { Metadata } from "../api/types.ts";
import { label, labelValue } from "../names.ts";
import type { WallObject } from "./object.ts";
import { formatRange, parseRange } from "./ranges.ts";

/** Says how far a pod may go; the policies of its namespace choose pods by it. */
export const egressLabel = "tessera.dev/egress";

/** Addresses on the link itself: there clouds hand out the credentials of the node. */
const linkLocal = { "0.0.0.0/0": ["169.254.0.0/16"], "::/0": ["fe80::/10", "fd00:ec2::254/128"] } as const;
const dnsPorts = [
  { protocol: "UDP", port: 53 },
  { protocol: "TCP", port: 53 },
];

/** What holds for all pods of a tenant: nothing in, nothing out but names; and for those that may, the world outside the cluster. */
export function tenantPolicies(metadata: Omit<Metadata, "name">, clusterRanges: readonly string[]): WallObject[] {
  const policy = (name: string, spec: object) => policyOf({ ...metadata, name: `tessera-${name}` }, spec);
  return [
    policy("deny", { podSelector: {}, policyTypes: ["Ingress", "Egress"] }),
    policy("names", { podSelector: {}, policyTypes: ["Egress"], egress: [{ to: nameServers, ports: dnsPorts }] }),
    policy("outside", {
      podSelector: { matchLabels: { [egressLabel]: "all" } },
      policyTypes: ["Egress"],
      egress: [{ to: outside(clusterRanges) }],
    }),
  ];
}

const nameServers = [
  { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } } },
  // Where each node has a cache for names of its own.
  { ipBlock: { cidr: "169.254.20.10/32" } },
];

function outside(clusterRanges: readonly string[]): object[] {
  return Object.entries(linkLocal).map(([cidr, always]) => ({
    ipBlock: {
      cidr,
      except: [...always, ...clusterRanges.filter((range) => range.includes(":") === cidr.includes(":"))],
    },
  }));
}

/** What one job needs beyond that: its members reach each other, and all of them what the job declares. */
export function jobPolicy(order: LeaseOrder, metadata: Omit<Metadata, "name">): WallObject | undefined {
  const targets = order.network?.egress === "declared" ? (order.network.allow ?? []).map(targetOf) : [];
  const gang = order.size > 1;
  if (!gang && targets.length === 0) return undefined;
  const job = labelValue(order.job);
  const podSelector = { matchLabels: { [label.job]: job } };
  const peers = gang ? [{ podSelector }] : [];
  return policyOf(
    { ...metadata, name: jobPolicyName(job), labels: { ...metadata.labels, [label.job]: job } },
    {
      podSelector,
      policyTypes: ["Ingress", "Egress"],
      ingress: peers.map((peer) => ({ from: [peer] })),
      egress: [...peers.map((peer) => ({ to: [peer] })), ...targets],
    },
  );
}

/** Names of objects are stricter than values of labels; ids of jobs differ in lower case, too. */
function jobPolicyName(job: string): string {
  return `tessera-job-${job.toLowerCase().replace(/[^a-z0-9-]/g, "-")}`;
}

/** How far the pod of an order may go, as its label says. */
export function egressOf({ network }: Pick<LeaseOrder, "network">): string {
  return network?.egress ?? "all";
}

function targetOf(target: string): object {
  const colon = target.lastIndexOf(":");
  const [host, port] = [target.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), Number(target.slice(colon + 1))];
  const range = parseRange(host);
  if (range === undefined) {
    throw new MemberRefused(
      `egress to ${target}: a cluster keeps jobs to addresses, not to names; declare the address or range of ${host}, such as 192.0.2.7:${port}`,
    );
  }
  const ports = [
    { protocol: "TCP", port },
    { protocol: "UDP", port },
  ];
  return { to: [{ ipBlock: { cidr: formatRange(range) } }], ports };
}

function policyOf(metadata: Metadata, spec: object): WallObject {
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec };
}
