export { type KubernetesSettings, settingNames } from "./settings.ts";
