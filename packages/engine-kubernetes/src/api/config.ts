import { KubeConfig } from "@kubernetes/client-node";

/** The text of a kubeconfig, or nothing inside a cluster; throws with the fix. */
export function readConfig(text: string, context: string | undefined): KubeConfig {
  const config = new KubeConfig();
  if (text.trim() === "") {
    if (process.env.KUBERNETES_SERVICE_HOST === undefined) {
      throw new Error("the kubeconfig is empty, which means the cluster that Tessera runs in, and it runs in none");
    }
    config.loadFromCluster();
    return config;
  }
  try {
    config.loadFromString(text);
  } catch (error) {
    throw new Error(`the kubeconfig cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const names = config.getContexts().map(({ name }) => name);
  if (names.length === 0) throw new Error("the file has no contexts: it is not a kubeconfig");
  if (context !== undefined) {
    if (!names.includes(context)) {
      throw new Error(`the kubeconfig has no context "${context}"; it has ${names.join(", ")}`);
    }
    config.setCurrentContext(context);
  }
  if (!names.includes(config.getCurrentContext())) {
    throw new Error(`the kubeconfig has no current context; choose one with --context: ${names.join(", ")}`);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new Error(`context ${config.getCurrentContext()} names a cluster that is not in the kubeconfig`);
  if (config.getCurrentUser() === null) {
    throw new Error(`context ${config.getCurrentContext()} names a user that is not in the kubeconfig`);
  }
  if (!/^https?:\/\//.test(cluster.server)) throw new Error(`"${cluster.server}" is not the address of an API server`);
  return config;
}
