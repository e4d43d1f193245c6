import type { LeaseOrder } from "@tessera/engine";
import type { Pod, Volume, VolumeMount } from "../api/types.ts";
import { folders, insideOf } from "../inside/parts.ts";
import {
  annotation,
  heldGate,
  label,
  labelValue,
  memberContainer,
  ownScheduler,
  podNameOf,
  reportFinalizer,
} from "../names.ts";
import type { KubernetesSettings } from "../settings.ts";
import { containerSecurity, podSecurity } from "../walls/security.ts";
import type { TenantPlace } from "../walls/walls.ts";
import type { DeviceAsk } from "./devices.ts";
import { literal, memberEnv } from "./environment.ts";
import { orderHash } from "./order-hash.ts";
import { memberScript, messagePath, stopScript } from "./wrapper.ts";

/** What the pod of a member says besides its order. */
export interface PodContext {
  readonly engine: string;
  /** The control plane that makes it. */
  readonly instance: string;
  readonly bootId: string;
  readonly devices: DeviceAsk;
}

/** The cluster counts the limit from before the image is pulled: this much is added, and taken back when it has started. */
export const startSecondsMax = 900;

/** The pod of a member, held until it is released, and kept by a finalizer until its end is known. */
export function podSpec(order: LeaseOrder, place: TenantPlace, settings: KubernetesSettings, context: PodContext): Pod {
  const name = podNameOf(order.lease);
  const inside = insideOf(order, settings);
  const { volumes, mounts } = ownVolumes(order);
  const { runtimeClass, serviceAccount } = place;
  const { resources, claims } = context.devices;
  const amounts = {
    cpu: `${order.limits.cpusMilli}m`,
    memory: `${order.limits.memoryMiB}Mi`,
    ...Object.fromEntries(Object.entries(resources).map(([resource, count]) => [resource, String(count)])),
  };
  const held = holding(order, needsScheduler([...volumes, ...inside.volumes], context.devices));
  const steps = [inside.before, order.setup ?? "", order.run];
  return {
    metadata: {
      name,
      namespace: place.namespace,
      labels: {
        [label.engine]: context.engine,
        [label.tenant]: labelValue(order.tenant),
        [label.job]: labelValue(order.job),
        [label.attempt]: String(order.attempt),
        [label.rank]: String(order.rank),
        [label.lease]: labelValue(order.lease),
        ...place.labels,
      },
      annotations: {
        ...inside.annotations,
        ...held.annotations,
        [annotation.lease]: order.lease,
        [annotation.account]: order.account,
        [annotation.order]: orderHash(order),
        [annotation.instance]: context.instance,
        [annotation.epoch]: String(order.epoch),
        [annotation.boot]: context.bootId,
        ...(order.scrub && { [annotation.scrub]: String(order.scrub.gpuUuids.length) }),
        ...(order.reshape && { [annotation.reshape]: order.reshape.to }),
        ...(order.stop.signal !== "SIGTERM" && { [annotation.signal]: order.stop.signal }),
        ...(order.limits.runMsMax > 0 && { [annotation.runMsMax]: String(order.limits.runMsMax) }),
      },
      finalizers: [reportFinalizer],
    },
    spec: {
      restartPolicy: "Never",
      ...held.spec,
      tolerations: [...place.tolerations, ...gpuTolerations(order)],
      serviceAccountName: serviceAccount,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(runtimeClass !== undefined && { runtimeClassName: runtimeClass }),
      imagePullSecrets: place.pullSecrets.map((secret) => ({ name: secret })),
      terminationGracePeriodSeconds: graceSeconds(order.stop.graceMs) + inside.takeSeconds,
      ...(order.limits.runMsMax > 0 && {
        activeDeadlineSeconds: Math.ceil(order.limits.runMsMax / 1000) + startSecondsMax,
      }),
      securityContext: podSecurity(order.tenant),
      volumes: [...volumes, ...inside.volumes],
      initContainers: inside.initContainers,
      ...(claims.length > 0 && { resourceClaims: [{ name: "gpus", resourceClaimName: name }] }),
      containers: [
        {
          name: memberContainer,
          image: order.image ?? settings.defaultImage ?? "",
          imagePullPolicy: "IfNotPresent",
          command: ["/bin/sh", "-c", literal(memberScript), "tess"],
          args: [order.workdir ?? folders.work, ...steps].map(literal),
          env: [...memberEnv(order, name), ...inside.env],
          volumeMounts: [...mounts, ...inside.mounts],
          resources: { requests: amounts, limits: amounts, ...(claims.length > 0 && { claims: [{ name: "gpus" }] }) },
          securityContext: containerSecurity,
          lifecycle: {
            preStop: {
              exec: { command: ["/bin/sh", "-c", stopScript(order.stop.signal, graceSeconds(order.stop.graceMs))] },
            },
          },
          terminationMessagePath: messagePath,
        },
      ],
    },
  };
}

/** A grace of 0 would remove the pod without waiting for its end. */
export function graceSeconds(graceMs: number): number {
  return Math.max(1, Math.ceil(graceMs / 1000));
}

/** Devices by claim, and volumes that are made where their first pod goes: only the scheduler of the cluster arranges these. */
function needsScheduler(volumes: readonly Volume[], { claims }: DeviceAsk): boolean {
  return claims.length > 0 || volumes.some((volume) => "persistentVolumeClaim" in volume);
}

/** How it is held: by a gate before the scheduler of the cluster, or because no scheduler looks at it. */
function holding({ node }: LeaseOrder, byScheduler: boolean): Pick<Pod["metadata"], "annotations"> & { spec: object } {
  if (!byScheduler) return { annotations: { [annotation.node]: node }, spec: { schedulerName: ownScheduler } };
  return { spec: { schedulingGates: [{ name: heldGate }], affinity: { nodeAffinity: onNode(node) } } };
}

function onNode(name: string): unknown {
  const matchFields = [{ key: "metadata.name", operator: "In", values: [name] }];
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } };
}

/** Clusters keep their GPU nodes free of other pods by this taint. */
function gpuTolerations({ gpuUuids }: LeaseOrder) {
  return gpuUuids.length === 0 ? [] : [{ key: "nvidia.com/gpu", operator: "Exists" }];
}

function ownVolumes({ limits }: LeaseOrder): {
  readonly volumes: readonly Volume[];
  readonly mounts: readonly VolumeMount[];
} {
  const { scratchMiB, shmMiB } = limits;
  const scratch = { name: "tess", emptyDir: scratchMiB === undefined ? {} : { sizeLimit: `${scratchMiB}Mi` } };
  const mount = { name: "tess", mountPath: folders.root };
  if (shmMiB === undefined) return { volumes: [scratch], mounts: [mount] };
  const shm = { name: "shm", emptyDir: { medium: "Memory", sizeLimit: `${shmMiB}Mi` } };
  return { volumes: [scratch, shm], mounts: [mount, { name: "shm", mountPath: "/dev/shm" }] };
}
