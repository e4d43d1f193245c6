export { type ClusterCheck, checkCluster } from "./check.ts";
export { identifyCluster } from "./identity.ts";
export { type KubernetesOptions, openKubernetes } from "./open.ts";
export { type KubernetesSettings, settingNames } from "./settings.ts";
export { checkSettings } from "./settings-check.ts";
