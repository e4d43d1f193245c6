import type { LeaseOrder } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import type { KubeObject, List } from "../api/types.ts";
import { annotation, label, labelValue, podNameOf } from "../names.ts";
import type { KubernetesSettings } from "../settings.ts";

/** How long the checkpoint of a job is kept after the job was first seen to have ended. */
const keepMs = 7 * 24 * 60 * 60 * 1000;
const usualSize = "10Gi";
const mebibytesIn = { Mi: 1, Gi: 1024, Ti: 1024 * 1024 };

const claimsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const allClaims = "/api/v1/persistentvolumeclaims";

/** The claim that holds the checkpoint of a job. */
export function checkpointClaim(job: string): string {
  return podNameOf(job);
}

/** Makes the storage of a job's checkpoint, which all of its attempts and members share. */
export async function ensureCheckpoint(
  client: ApiClient,
  engine: string,
  order: LeaseOrder,
  namespace: string,
  { checkpointClass, checkpointSize }: Pick<KubernetesSettings, "checkpointClass" | "checkpointSize">,
): Promise<void> {
  const claim = {
    metadata: {
      name: checkpointClaim(order.job),
      labels: {
        [label.engine]: engine,
        [label.tenant]: labelValue(order.tenant),
        [label.job]: labelValue(order.job),
      },
      annotations: { [annotation.job]: order.job },
    },
    spec: {
      storageClassName: checkpointClass,
      // Members of a gang may be on several nodes.
      accessModes: [order.size > 1 ? "ReadWriteMany" : "ReadWriteOnce"],
      resources: { requests: { storage: `${claimedMiB(order, checkpointSize)}Mi` } },
    },
  };
  await client.post(claimsOf(namespace), claim).catch((error) => {
    if (!isStatus(error, 409)) throw error;
  });
}

/** The limit of a checkpoint is the most that an account may keep, and far more than most jobs need. */
function claimedMiB({ limits }: LeaseOrder, size = usualSize): number {
  const unit = size.slice(-2) as keyof typeof mebibytesIn;
  const asked = Number.parseInt(size, 10) * mebibytesIn[unit];
  return Math.min(asked, limits.checkpointMiB ?? asked);
}

/** Removes the checkpoints of jobs that ended long enough ago. When that was is noted in the claim. */
export async function sweepCheckpoints(
  client: ApiClient,
  engine: string,
  isLive: (job: string) => boolean,
  now: number,
): Promise<void> {
  const query = { labelSelector: `${label.engine}=${engine}` };
  const { items } = await client.get<List<KubeObject>>(allClaims, { query });
  for (const { metadata } of items) {
    const { name, namespace, uid, annotations = {}, deletionTimestamp } = metadata;
    const job = annotations[annotation.job];
    if (job === undefined || deletionTimestamp !== undefined) continue;
    const path = `${claimsOf(namespace!)}/${name}`;
    const since = annotations[annotation.ended];
    const note = (at: string | null) =>
      client.patch(path, { metadata: { uid, annotations: { [annotation.ended]: at } } });
    if (isLive(job)) {
      if (since !== undefined) await note(null); // a restored control plane knows it as live again
    } else if (since === undefined) await note(String(now));
    else if (Number(since) < now - keepMs) await client.delete(path, { preconditions: { uid } });
  }
}
