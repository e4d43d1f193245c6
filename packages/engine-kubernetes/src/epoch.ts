import type { LeaseId } from "@tessera/core";
import { EngineFenced } from "@tessera/engine";
import type { ApiClient } from "./api/client.ts";
import { isStatus } from "./api/error.ts";
import { withoutNoise } from "./api/keep.ts";
import { Mirror } from "./api/mirror.ts";
import { paths } from "./api/paths.ts";
import type { KubeObject } from "./api/types.ts";
import { epochAnnotation, epochName, systemNamespace } from "./names.ts";

const path = paths.serviceAccount(systemNamespace, epochName);
const readyMsMax = 15_000;
const attemptsMax = 10;

/**
 * The highest epoch of a control plane that this cluster has seen for this engine, in an object that all of them watch and
 * that only moves forward. It is a service account, with an annotation for each engine, because the API server's policy on
 * pods reads it: see deploy/kubernetes/admission.yaml.
 */
export class Epoch {
  readonly #client: ApiClient;
  readonly #annotation: string;
  readonly #mirror: Mirror<KubeObject>;
  #seen = 0;

  constructor(client: ApiClient, engine: string) {
    this.#client = client;
    this.#annotation = epochAnnotation(engine);
    this.#mirror = new Mirror<KubeObject>(client, {
      path: paths.serviceAccounts(systemNamespace),
      query: { fieldSelector: `metadata.name=${epochName}` },
      pathOf: () => path,
      keep: withoutNoise,
      onChange: (now) => {
        if (now !== undefined) this.#seen = Math.max(this.#seen, this.#epochIn(now));
      },
    });
  }

  /** Throws EngineFenced for an order of a control plane that was replaced; notes the epoch of a newer one. */
  async pass(lease: LeaseId, epoch: number): Promise<void> {
    await this.#mirror.ready(readyMsMax);
    if (epoch < this.#seen) throw new EngineFenced(lease, epoch, this.#seen);
    if (epoch > this.#seen) await this.#raise(lease, epoch);
  }

  async takeOver(epoch: number): Promise<void> {
    await this.pass("of this engine" as LeaseId, epoch);
  }

  close(): void {
    this.#mirror.close();
  }

  async #raise(lease: LeaseId, epoch: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const found = await this.#read();
        const seen = this.#epochIn(found);
        if (seen > epoch) throw new EngineFenced(lease, epoch, seen);
        if (seen < epoch) {
          const { resourceVersion } = found.metadata;
          const annotations = { [this.#annotation]: String(epoch) };
          await this.#client.patch(path, { metadata: { resourceVersion, annotations } });
        }
        this.#seen = Math.max(this.#seen, epoch);
        return;
      } catch (error) {
        if (!isStatus(error, 409) || attempt >= attemptsMax) throw error;
      }
    }
  }

  async #read(): Promise<KubeObject> {
    try {
      return await this.#client.get<KubeObject>(path);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
    const make = () =>
      this.#client.post<KubeObject>(paths.serviceAccounts(systemNamespace), {
        metadata: { name: epochName },
        automountServiceAccountToken: false,
      });
    try {
      return await make();
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
    // Nothing of ours was installed in this cluster.
    await this.#client.post(paths.namespaces, { metadata: { name: systemNamespace } }).catch(unlessThere);
    return make();
  }

  #epochIn({ metadata }: KubeObject): number {
    return Number(metadata.annotations?.[this.#annotation] ?? 0);
  }
}

function unlessThere(error: unknown): void {
  if (!isStatus(error, 409)) throw error;
}
