import type { KubeConfig } from "@kubernetes/client-node";
import { expiryOf } from "./api/certificate.ts";
import { ApiClient } from "./api/client.ts";
import { readConfig } from "./api/config.ts";
import { ApiError, ClusterAway, isStatus } from "./api/error.ts";
import { paths } from "./api/paths.ts";
import type { List, Node, ResourceSlice } from "./api/types.ts";
import { gpusOf } from "./nodes/gpus.ts";
import type { KubernetesOptions } from "./open.ts";
import { missingRights } from "./rights.ts";

export interface ClusterCheck {
  readonly version: string;
  readonly nodes: number;
  readonly gpus: number;
}

/** Scheduling gates are stable, and matchFields of a gated pod may be set, from here on. */
const minorMin = 30;

const giveRights = "give this user the rights of deploy/kubernetes/rbac.yaml";

/** Tries a cluster before it is taken on. Throws an Error whose message names what to do. */
export async function checkCluster(options: Pick<KubernetesOptions, "kubeconfig" | "settings">): Promise<ClusterCheck> {
  const client = new ApiClient(readConfig(options.kubeconfig, options.settings.context));
  try {
    const said = await client.get<{ gitVersion: string; major: string; minor: string }>(paths.version);
    const minor = Number.parseInt(said.minor, 10);
    if (Number(said.major) === 1 && minor < minorMin) {
      throw new Error(`the cluster runs Kubernetes ${said.gitVersion}; Tessera needs 1.${minorMin} or later`);
    }
    const missing = await missingRights(client);
    if (missing !== undefined) throw new Error(`${missing}; ${giveRights}`);
    const { items } = await client.get<List<Node>>(paths.nodes, { query: { resourceVersion: 0 } });
    const slices = await slicesOf(client);
    const ofNode = ({ metadata }: Node) => slices.filter(({ spec }) => spec.nodeName === metadata.name);
    const gpus = items.reduce((sum, node) => sum + gpusOf(node, ofNode(node)).length, 0);
    return { version: said.gitVersion, nodes: items.length, gpus };
  } catch (error) {
    throw new Error(adviceOn(error, client.config), { cause: error });
  } finally {
    client.close();
  }
}

/** None where the cluster has no such kind. */
async function slicesOf(client: ApiClient): Promise<readonly ResourceSlice[]> {
  try {
    return (await client.get<List<ResourceSlice>>(paths.resourceSlices, { query: { resourceVersion: 0 } })).items;
  } catch (error) {
    if (isStatus(error, 404)) return [];
    throw error;
  }
}

function adviceOn(error: unknown, config: KubeConfig): string {
  const text = (error as Error).message;
  if (error instanceof ApiError && error.status === 401) {
    const expired = expiryOf(config.getCurrentUser(), new Date());
    if (expired !== undefined) return `the client certificate of the kubeconfig expired on ${expired}; get a new one`;
    return `the cluster does not accept the credentials of the kubeconfig (${text}); get a new one`;
  }
  if (error instanceof ApiError && error.status === 403) {
    return `${text}; ${giveRights}`;
  }
  if (error instanceof ClusterAway) {
    const code = String((error.cause as { code?: string }).code ?? "");
    if (/EXPIRED/.test(code) || /expired/.test(text)) return `${text}; renew the certificate`;
    if (/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET/.test(code)) {
      return `${text}; the certificate-authority of the kubeconfig is not that of this cluster`;
    }
    if (/ALTNAME/.test(code)) return `${text}; use a name or an address that the certificate of the API server has`;
    return `${text}; check the address in the kubeconfig, and that this machine can reach it`;
  }
  return text;
}
