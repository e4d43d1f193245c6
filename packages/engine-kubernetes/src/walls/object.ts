import type { KubeObject, Metadata } from "../api/types.ts";

/** An object as it is written to the API server, whole. */
export interface WallObject extends KubeObject {
  readonly apiVersion: string;
  readonly kind: WallKind;
  readonly [field: string]: unknown;
}

/** The kinds of which walls are made, with the name under which the API server has them. */
const resourceOf = {
  Namespace: "namespaces",
  RoleBinding: "rolebindings",
  ServiceAccount: "serviceaccounts",
  ResourceQuota: "resourcequotas",
  LimitRange: "limitranges",
  NetworkPolicy: "networkpolicies",
} as const;

export type WallKind = keyof typeof resourceOf;

export function pathOf({ apiVersion, kind, metadata }: WallObject): string {
  return `${collectionOf({ apiVersion, kind, metadata })}/${metadata.name}`;
}

function collectionOf({ apiVersion, kind, metadata }: { apiVersion: string; kind: WallKind; metadata: Metadata }) {
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { namespace } = metadata;
  return `${group}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resourceOf[kind]}`;
}

/** Where all objects of a kind are listed and watched, over all namespaces. */
export function everywhere(apiVersion: string, kind: WallKind): string {
  return collectionOf({ apiVersion, kind, metadata: { name: "" } });
}
