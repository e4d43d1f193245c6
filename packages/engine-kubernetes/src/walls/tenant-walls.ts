import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { TenantTerms } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import { isStatus } from "../api/error.ts";
import { withoutNoise } from "../api/keep.ts";
import { keyOf, Mirror } from "../api/mirror.ts";
import type { KubeObject } from "../api/types.ts";
import { label, labelValue, namespaceOf } from "../names.ts";
import { clusterFacts, serviceRanges } from "./cluster-facts.ts";
import { everywhere, pathOf, type WallKind, type WallObject } from "./object.ts";
import { copyPullSecret, pullSecret } from "./pull-secret.ts";
import { differs, settle } from "./settle.ts";
import { type ClusterFacts, type Tenant, tenantOf, wallsOf } from "./tenant.ts";
import type { WallsPorts } from "./walls.ts";

/** What is made for tenants, and where a watch sees that someone else changed it. */
const kinds: readonly { readonly apiVersion: string; readonly kind: WallKind }[] = [
  { apiVersion: "v1", kind: "Namespace" },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding" },
  { apiVersion: "v1", kind: "ServiceAccount" },
  { apiVersion: "v1", kind: "ResourceQuota" },
  { apiVersion: "v1", kind: "LimitRange" },
  { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
];

/** The API server learns of a new binding after it has answered: until then it refuses what the binding allows. */
const rightsMsMax = 10_000;
const rightsWaitMs = 100;

interface Entry {
  readonly tenant: Tenant;
  /** Done once all its walls stood. */
  made: Promise<void> | undefined;
}

/** Makes the walls of tenants and keeps them: what others change or delete is put right as soon as a watch tells. */
export class TenantWalls {
  readonly #ports: WallsPorts;
  readonly #client: ApiClient;
  readonly #mirrors: ReadonlyMap<WallKind, Mirror<KubeObject>>;
  /** By namespace. */
  readonly #entries = new Map<string, Entry>();
  readonly #checking = new Map<string, Promise<void>>();
  #facts: ClusterFacts | undefined;
  /** The version of the pull secret that was copied last. */
  #pullVersion: string | undefined;

  /** What single jobs have made besides, by namespace. */
  readonly #ofJobs: (namespace: string) => readonly WallObject[];

  constructor(ports: WallsPorts, ofJobs: (namespace: string) => readonly WallObject[]) {
    this.#ports = ports;
    this.#ofJobs = ofJobs;
    this.#client = ports.client;
    this.#mirrors = new Map(kinds.map(({ apiVersion, kind }) => [kind, this.#mirror(apiVersion, kind)]));
  }

  async ensure(tenant: string, terms: TenantTerms | undefined): Promise<void> {
    const namespace = namespaceOf(tenant);
    let entry = this.#entries.get(namespace);
    if (entry?.made === undefined || !isDeepStrictEqual(entry.tenant.terms, terms)) {
      entry = { tenant: { engine: this.#ports.name, tenant, terms }, made: undefined };
      this.#entries.set(namespace, entry);
      entry.made = this.#make(entry.tenant);
    }
    try {
      await entry.made;
    } catch (error) {
      entry.made = undefined;
      throw error;
    }
  }

  /** Looks at everything once, by what the watches know: costs calls only where something is not as it should be. */
  async keep(): Promise<void> {
    this.#facts = await this.#look();
    await this.#renewPullSecret();
    for (const namespace of this.#entries.keys()) await this.#check(namespace);
  }

  close(): void {
    for (const mirror of this.#mirrors.values()) mirror.close();
  }

  #mirror(apiVersion: string, kind: WallKind): Mirror<KubeObject> {
    return new Mirror(this.#client, {
      path: everywhere(apiVersion, kind),
      query: { labelSelector: `${label.engine}=${this.#ports.name}` },
      pathOf: ({ metadata }) => pathOf({ apiVersion, kind, metadata }),
      keep: withoutNoise,
      onChange: (now, before) => {
        if (!isStatusOnly(now, before)) this.#onChange(kind, now ?? before!, now === undefined);
      },
    });
  }

  #onChange(kind: WallKind, object: KubeObject, gone: boolean): void {
    if (kind !== "Namespace") {
      const { namespace } = object.metadata;
      if (namespace !== undefined) this.#checkSoon(namespace);
      return;
    }
    const { name, deletionTimestamp } = object.metadata;
    // A namespace that someone deletes takes everything along; it is made again when its tenant has the next order.
    if (gone || deletionTimestamp !== undefined) {
      this.#entries.delete(name);
      return;
    }
    const tenant = tenantOf(this.#ports.name, object);
    if (tenant !== undefined && !this.#entries.has(name)) this.#entries.set(name, { tenant, made: undefined });
    this.#checkSoon(name);
  }

  #checkSoon(namespace: string): void {
    if (!this.#entries.has(namespace) || this.#checking.has(namespace)) return;
    const check = sleep(rightsWaitMs, undefined, { ref: false })
      .then(() => this.#check(namespace))
      .catch((error: Error) => this.#ports.warn(`walls of namespace ${namespace}: ${error.message}`))
      .finally(() => this.#checking.delete(namespace));
    this.#checking.set(namespace, check);
  }

  async #check(namespace: string): Promise<void> {
    const entry = this.#entries.get(namespace);
    if (entry === undefined) return;
    await entry.made?.catch(() => {}); // what is being made need not be made twice
    for (const wanted of [...(await this.#wanted(entry.tenant)), ...this.#ofJobs(namespace)]) {
      const found = this.#mirrors.get(wanted.kind)?.get(keyOf(wanted));
      if (found === undefined || differs(found, wanted)) await settle(this.#client, wanted);
    }
  }

  async #make(tenant: Tenant): Promise<void> {
    const [namespace, binding, ...rest] = await this.#wanted(tenant);
    await settle(this.#client, namespace!);
    await settle(this.#client, binding!);
    const [first, ...others] = rest;
    await this.#onceAllowed(() => settle(this.#client, first!));
    await Promise.all(others.map((each) => settle(this.#client, each)));
    const { pullSecret: name } = this.#ports.settings;
    if (name !== undefined) await copyPullSecret(this.#client, name, this.#target(tenant), false);
  }

  async #onceAllowed(act: () => Promise<void>): Promise<void> {
    const until = performance.now() + rightsMsMax;
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!isStatus(error, 403) || performance.now() > until) throw error;
        await sleep(rightsWaitMs);
      }
    }
  }

  async #wanted(tenant: Tenant): Promise<WallObject[]> {
    this.#facts ??= await this.#look();
    return wallsOf(tenant, this.#ports.settings, this.#facts);
  }

  async #look(): Promise<ClusterFacts> {
    const { nodes, pods, gpus } = this.#ports;
    const services = await serviceRanges(this.#client);
    return clusterFacts({ nodes: [...nodes()], pods: pods(), gpus: gpus(), services });
  }

  async #renewPullSecret(): Promise<void> {
    const { pullSecret: name } = this.#ports.settings;
    if (name === undefined) return;
    const version = (await pullSecret(this.#client, name))?.metadata.resourceVersion;
    if (version === undefined) return;
    const fresh = this.#pullVersion !== undefined && this.#pullVersion !== version;
    for (const { tenant } of this.#entries.values()) {
      await copyPullSecret(this.#client, name, this.#target(tenant), fresh);
    }
    this.#pullVersion = version;
  }

  #target({ engine, tenant }: Tenant) {
    return { namespace: namespaceOf(tenant), labels: { [label.engine]: engine, [label.tenant]: labelValue(tenant) } };
  }
}

/** Each pod changes what a quota has counted: that is no change of ours. */
function isStatusOnly(now: KubeObject | undefined, before: KubeObject | undefined): boolean {
  if (now === undefined || before === undefined) return false;
  const gist = (object: KubeObject) => ({
    ...object,
    status: undefined,
    metadata: { ...object.metadata, resourceVersion: undefined },
  });
  return isDeepStrictEqual(gist(now), gist(before));
}
