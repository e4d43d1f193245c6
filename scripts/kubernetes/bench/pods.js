import { atOnce } from "./at-once.js";

const namespace = "bench";
const path = `/api/v1/namespaces/${namespace}/pods`;
const clients = 32;

export async function makeNamespace(api) {
  await api.post("/api/v1/namespaces", { metadata: { name: namespace } });
  for (;;) {
    const there = await api.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`).catch(() => undefined);
    if (there !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Pods as Tessera made one, without its gate, its choice of a node and its finalizer: kube-scheduler places them, or
 * `nodeFor` has done so. Groups are created at once, like jobs.
 */
export function plainPods(api, { like, nodeFor }) {
  return {
    async submit(groups, note) {
      await atOnce(clients, groups, async ({ name, members }, no) => {
        note(name);
        for (let rank = 0; rank < members; rank++) {
          await api.post(path, plainPod(like, { name, rank, node: nodeFor?.(no * members + rank) }));
        }
      });
    },
    async clear() {
      await api.delete(path, { gracePeriodSeconds: 0, propagationPolicy: "Background" });
      for (;;) {
        const { items } = await api.get(`${path}?limit=1`);
        if (items.length === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
  };
}

function plainPod(like, { name, rank, node }) {
  const {
    schedulingGates: _,
    affinity: _a,
    nodeName: _n,
    schedulerName: _sn,
    nodeSelector: _s,
    serviceAccountName: _sa,
    ...spec
  } = like.spec;
  const {
    resourceClaims: _r,
    serviceAccount: _o,
    volumes = [],
    tolerations: _t,
    hostname: _h,
    subdomain: _d,
    ...rest
  } = spec;
  return {
    metadata: {
      name: `${name}-${rank}`,
      labels: { ...like.metadata.labels, "tessera.dev/job": undefined, "bench/group": name },
    },
    spec: { ...rest, volumes, ...(node !== undefined && { nodeName: node }) },
  };
}
