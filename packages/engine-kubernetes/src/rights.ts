import type { ApiClient } from "./api/client.ts";
import { paths } from "./api/paths.ts";

/** Verbs on a kind of object: everywhere, or in one namespace, or on one object. */
export interface Right {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly namespace?: string;
  readonly name?: string;
}

const read = ["get", "list", "watch"];
const network = "networking.k8s.io";
const rbac = "rbac.authorization.k8s.io";
const own = "tessera-system";

/**
 * What Tessera needs before there is a tenant, as deploy/kubernetes/rbac.yaml gives it. In the namespaces of tenants it
 * binds the rest to itself.
 */
export const rightsNeeded: readonly Right[] = [
  { group: "", resources: ["nodes"], verbs: [...read, "patch"] },
  { group: "", resources: ["pods"], verbs: read },
  { group: "resource.k8s.io", resources: ["resourceslices", "resourceclaims"], verbs: read },
  { group: "node.k8s.io", resources: ["runtimeclasses"], verbs: ["get"] },
  { group: network, resources: ["servicecidrs"], verbs: ["list"] },
  { group: "", resources: ["namespaces"], verbs: [...read, "create", "update"] },
  { group: "", resources: ["serviceaccounts", "resourcequotas", "limitranges"], verbs: read },
  { group: "", resources: ["persistentvolumeclaims"], verbs: ["list"] },
  { group: network, resources: ["networkpolicies"], verbs: read },
  { group: rbac, resources: ["rolebindings"], verbs: [...read, "create", "update"] },
  { group: rbac, resources: ["clusterroles"], verbs: ["bind"], name: "tessera-tenant" },
  { group: "", resources: ["serviceaccounts"], verbs: ["create"], namespace: own },
  { group: "", resources: ["serviceaccounts"], verbs: ["patch"], namespace: own, name: "tessera-epoch" },
  { group: "", resources: ["secrets"], verbs: ["get"], namespace: own },
];

interface Asked {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace?: string;
  readonly name?: string;
}

const shownMax = 4;

/** Which of the rights the user of the kubeconfig lacks, in words; undefined = none. */
export async function missingRights(client: Pick<ApiClient, "post">): Promise<string | undefined> {
  const asked = rightsNeeded.flatMap(({ resources, verbs, ...right }) =>
    resources.flatMap((resource) => verbs.map((verb): Asked => ({ ...right, resource, verb }))),
  );
  const allowed = await Promise.all(asked.map((each) => mayDo(client, each)));
  const lacking = [...new Set(asked.filter((_, i) => !allowed[i]).map(textOf))];
  if (lacking.length === 0) return undefined;
  const more = lacking.length > shownMax ? ` and ${lacking.length - shownMax} more` : "";
  return `the user of the kubeconfig may not ${lacking.slice(0, shownMax).join(", ")}${more}`;
}

async function mayDo(client: Pick<ApiClient, "post">, resourceAttributes: Asked): Promise<boolean> {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  };
  const { status } = await client.post<{ status?: { allowed?: boolean } }>(paths.accessReviews, review);
  return status?.allowed ?? false;
}

function textOf({ verb, resource, namespace }: Asked): string {
  return `${verb} ${resource}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
