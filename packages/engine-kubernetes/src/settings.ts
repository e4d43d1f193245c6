/** What an owner can say of a cluster; all of it optional. */
export interface KubernetesSettings {
  /** Of the kubeconfig; absent = its current one. */
  readonly context?: string;
  /** The labels of nodes that name their block and their rack. */
  readonly blockLabel?: string;
  readonly rackLabel?: string;
  /** The image of jobs that name none; absent = such jobs do not run here. */
  readonly defaultImage?: string;
  /** The image of Tessera itself, which brings files into pods and out of them; absent = no code and no outputs here. */
  readonly agentImage?: string;
  /** The storage class of checkpoints; absent = a checkpoint lasts as long as its pod. */
  readonly checkpointClass?: string;
  /** How much storage a checkpoint is given at first, within the limit of its account; absent = 10Gi. */
  readonly checkpointSize?: string;
  /** The runtime classes of tenants by trust; absent = the cluster's default. */
  readonly untrustedRuntime?: string;
  readonly confidentialRuntime?: string;
  /** The name of the secret with which images are pulled; it is copied from Tessera's namespace. */
  readonly pullSecret?: string;
}

/** The names of all settings, in the order in which they are shown. */
export const settingNames = [
  "context",
  "blockLabel",
  "rackLabel",
  "defaultImage",
  "agentImage",
  "checkpointClass",
  "checkpointSize",
  "untrustedRuntime",
  "confidentialRuntime",
  "pullSecret",
] as const satisfies readonly (keyof KubernetesSettings)[];
