import type { EngineKeys } from "@tessera/content";
import type { Clock, Engine } from "@tessera/engine";
import { KubernetesEngine } from "./engine.ts";
import type { StartLimits } from "./pods/start-limits.ts";
import type { KubernetesSettings } from "./settings.ts";

export interface KubernetesOptions {
  /** The name of the engine. */
  readonly name: string;
  /** The text of the kubeconfig; empty = the cluster that this process runs in. */
  readonly kubeconfig: string;
  readonly settings: KubernetesSettings;
  /** A folder of this engine alone: kept logs, outputs, how leases ended. */
  readonly dir: string;
  /** The folder of the content store. */
  readonly content: string;
  /** What logs and content are sealed with; absent = they are plain. */
  readonly keys?: EngineKeys;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
  /** How long members may take to start, where that is not as usual. */
  readonly startLimits?: Partial<StartLimits>;
}

/** Opens a cluster as an engine. Returns at once: calls fail while the cluster is away. */
export function openKubernetes(options: KubernetesOptions): Engine {
  return new KubernetesEngine(options);
}
