/** What the lab is built from: exact versions of Go modules, since the lists of a module proxy may be incomplete. */
export const versions = {
  kubernetes: process.env.K8S_VERSION ?? "1.37.1",
  kwok: "0.8.0",
  helm: "3.22.0",
  containerd: "2.3.7",
  networkPlugins: "1.9.1",
  draDriver: "0.4.0",
  kubeRouter: "2.10.0",
};

/** Kubernetes 1.X.Y has libraries that are numbered 0.X.Y. */
export const libraryVersion = versions.kubernetes.replace(/^1\./, "0.");
