import { until } from "../../places/server.js";

export const pods = "/api/v1/namespaces/default/pods";

/** A plain pod, as no engine is needed to make it. */
export function podOf(name, { sim = "", command = ["sleep", "1000"], finalizers, gpus = 1, ...spec } = {}) {
  const container = { name: "main", image: "localhost/busybox:1", command };
  return {
    metadata: { name, annotations: { sim }, ...(finalizers && { finalizers }) },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 2,
      containers: [{ ...container, resources: { limits: { "nvidia.com/gpu": String(gpus) } } }],
      ...spec,
    },
  };
}

/** Waits until a pod is as `look` wants it. */
export function untilPod(api, name, look) {
  return until(`${name} as wanted`, 60_000, async () => {
    const pod = await api.get(`${pods}/${name}`);
    return look(pod) ? pod : undefined;
  });
}

export const terminatedOf = (pod) => pod.status.containerStatuses?.[0]?.state.terminated;
