import { ApiClient } from "./api/client.ts";
import { readConfig } from "./api/config.ts";
import { paths } from "./api/paths.ts";
import type { KubeObject } from "./api/types.ts";
import type { KubernetesOptions } from "./open.ts";

/** The id of a cluster. It has no name of its own; this namespace is made with it, and cannot be deleted. */
export async function identifyCluster(options: Pick<KubernetesOptions, "kubeconfig" | "settings">): Promise<string> {
  const client = new ApiClient(readConfig(options.kubeconfig, options.settings.context));
  try {
    const { metadata } = await client.get<KubeObject>(paths.namespace("kube-system"));
    if (metadata.uid === undefined) throw new Error("the cluster does not say the uid of its namespace kube-system");
    return metadata.uid;
  } finally {
    client.close();
  }
}
