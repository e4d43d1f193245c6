import type { LeaseOrder } from "@tessera/engine";
import type { Container, EnvVar, Volume, VolumeMount } from "../api/types.ts";
import type { KubernetesSettings } from "../settings.ts";

/** The folders of a member, as it sees them. `root` is a volume of the pod's own, which the others lie in unless mounted. */
export const folders = {
  root: "/tess",
  work: "/tess/work",
  temporary: "/tess/tmp",
  out: "/tess/out",
  checkpoint: "/tess/checkpoint",
  cache: "/tess/cache",
} as const;

/** What the files of a member add to its pod. */
export interface InsideParts {
  readonly volumes: readonly Volume[];
  readonly initContainers: readonly Container[];
  /** Of the member's container. */
  readonly mounts: readonly VolumeMount[];
  readonly env: readonly EnvVar[];
  /** Containers beside the member's, such as one that keeps outputs. */
  readonly containers: readonly Container[];
  /** Shell lines that run as the job before its setup, in the work folder; a failing one ends the member. */
  readonly before: string;
}

/** Pure: what code, mounts, outputs and the checkpoint of an order need in its pod. */
export function insideOf(_order: LeaseOrder, _settings: KubernetesSettings): InsideParts {
  return { volumes: [], initContainers: [], mounts: [], env: [], containers: [], before: "" };
}
