import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseOrder } from "@tessera/engine";
import { type ApiClient, jittered } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { Pod } from "../api/types.ts";
import { annotation, label, reportFinalizer } from "../names.ts";
import { claimSpecOf, type DeviceAsk } from "./devices.ts";
import { boundByUs, isKept, type StopMark } from "./status.ts";

const quotaMsMax = 20_000;
const quotaWaitMs = 500;

/** The calls on pods that this engine makes; each is safe to repeat. */
export class PodCalls {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** The cluster counts pods that have ended a little longer: what its quota refuses is tried again for a while. */
  async create(pod: Pod): Promise<Pod> {
    for (const until = performance.now() + quotaMsMax; ; await sleep(jittered(quotaWaitMs))) {
      try {
        return await this.#client.post<Pod>(paths.pods(pod.metadata.namespace!), pod);
      } catch (error) {
        const isQuota = isStatus(error, 403) && /exceeded quota: tessera,/.test((error as Error).message);
        if (!isQuota || performance.now() > until) throw error;
      }
    }
  }

  read({ metadata }: Pod): Promise<Pod> {
    return this.#client.get<Pod>(paths.pod(metadata.namespace!, metadata.name));
  }

  /** The secret and the claim of a held pod; both go with it. */
  async furnish(pod: Pod, order: LeaseOrder, devices: DeviceAsk): Promise<void> {
    const { namespace, name, uid, labels } = pod.metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name, uid, blockOwnerDeletion: false }];
    const metadata = { name, labels: { [label.engine]: labels?.[label.engine] }, ownerReferences };
    if (Object.keys(order.secrets).length > 0) {
      const body = { metadata, type: "Opaque", stringData: order.secrets, immutable: true };
      await this.#client.post(paths.secrets(namespace!), body).catch(unlessThere);
    }
    if (devices.claims.length > 0) {
      await this.#client.post(paths.claims(namespace!), { metadata, spec: claimSpecOf(devices) }).catch(unlessThere);
    }
  }

  /** Whether the secret and the claim that a pod names are there. Secrets may be made and not read: one that is there shows. */
  async isFurnished({ metadata, spec }: Pod): Promise<boolean> {
    const { namespace, name } = metadata;
    const path = paths.secrets(namespace!);
    if (spec.containers[0]?.env?.some(({ valueFrom }) => valueFrom?.secretKeyRef?.name === name)) {
      const made = this.#client.post(path, { metadata: { name } }, { query: { dryRun: "All" } });
      if (await made.then(() => true, ifThere)) return false;
    }
    if ((spec.resourceClaims ?? []).length === 0) return true;
    return this.#client.get(paths.claim(namespace!, name)).then(() => true, ifMissing);
  }

  /** Notes on a held pod which control plane holds it: what an earlier one knows of it is out of date then. */
  take(pod: Pod, instance: string, epoch: number): Promise<Pod> {
    return this.#annotate(pod, { [annotation.instance]: instance, [annotation.epoch]: String(epoch) });
  }

  /**
   * Binds exactly this version of the pod, or removes its gate, and says by which epoch: admission policies compare it. Of a
   * pod that was bound only the watch tells more.
   */
  async release(pod: Pod, epoch: number, master: string | undefined): Promise<Pod | undefined> {
    const { name, namespace, uid, resourceVersion, labels } = pod.metadata;
    const annotations = {
      [annotation.epoch]: String(epoch),
      ...(master !== undefined && { [annotation.master]: master }),
    };
    const node = boundByUs(pod);
    if (node === undefined) {
      return this.#patch(pod, { metadata: { uid, resourceVersion, annotations }, spec: { schedulingGates: null } });
    }
    const engine = { [label.engine]: labels?.[label.engine] };
    await this.#client.post(paths.binding(namespace!, name), {
      metadata: { name, namespace, uid, resourceVersion, labels: engine, annotations },
      target: { kind: "Node", name: node },
    });
    return undefined;
  }

  /** The limit counts from the start of the container, which the cluster counts from an earlier moment. */
  limit(pod: Pod, seconds: number): Promise<Pod> {
    return this.#patch(pod, { metadata: { uid: pod.metadata.uid }, spec: { activeDeadlineSeconds: seconds } });
  }

  mark(pod: Pod, stop: StopMark): Promise<Pod> {
    return this.#annotate(pod, { [annotation.stop]: JSON.stringify(stop) });
  }

  /** Does nothing where it is gone already. */
  async delete({ metadata }: Pod, gracePeriodSeconds: number): Promise<void> {
    const preconditions = { uid: metadata.uid };
    await this.#client
      .delete(paths.pod(metadata.namespace!, metadata.name), { gracePeriodSeconds, preconditions })
      .catch(unlessGone);
  }

  /** Lets a pod go whose end is acknowledged. */
  async forget(pod: Pod): Promise<void> {
    const { uid, finalizers = [] } = pod.metadata;
    const rest = finalizers.filter((name) => name !== reportFinalizer);
    try {
      if (isKept(pod)) await this.#patch(pod, { metadata: { uid, finalizers: rest.length === 0 ? null : rest } });
    } catch (error) {
      unlessGone(error);
      return;
    }
    if (pod.metadata.deletionTimestamp === undefined) await this.delete(pod, 0);
  }

  /** Removes a held pod that nothing will be told of, unless it has changed meanwhile. */
  async sweep(pod: Pod): Promise<void> {
    const { namespace, name, uid, resourceVersion } = pod.metadata;
    const preconditions = { uid, resourceVersion };
    await this.#client.delete(paths.pod(namespace!, name), { gracePeriodSeconds: 0, preconditions });
    await this.#patch(pod, { metadata: { uid, finalizers: null } }).catch(unlessGone);
  }

  #annotate(pod: Pod, annotations: Readonly<Record<string, string>>): Promise<Pod> {
    return this.#patch(pod, { metadata: { uid: pod.metadata.uid, annotations } });
  }

  #patch({ metadata }: Pod, change: unknown): Promise<Pod> {
    return this.#client.patch<Pod>(paths.pod(metadata.namespace!, metadata.name), change);
  }
}

function ifThere(error: unknown): false {
  if (!isStatus(error, 409)) throw error;
  return false;
}

function ifMissing(error: unknown): false {
  if (!isStatus(error, 404)) throw error;
  return false;
}

/** The pod of a lease as it was made before, if this order made it. */
export function isSameMember(found: Pod, wanted: Pod): boolean {
  const { annotations: a = {}, labels: l = {} } = found.metadata;
  const { annotations: b = {}, labels: m = {} } = wanted.metadata;
  const same = [annotation.lease, annotation.order].every((name) => a[name] === b[name]);
  return same && l[label.engine] === m[label.engine] && l[label.attempt] === m[label.attempt];
}

function unlessThere(error: unknown): void {
  if (!isStatus(error, 409)) throw error;
}

/** Gone, or another pod has its name by now. */
function unlessGone(error: unknown): void {
  if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
}
