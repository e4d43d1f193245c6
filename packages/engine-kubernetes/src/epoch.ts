import type { LeaseId } from "@tessera/core";
import { EngineFenced } from "@tessera/engine";
import type { ApiClient } from "./api/client.ts";
import { isStatus } from "./api/error.ts";
import { withoutNoise } from "./api/keep.ts";
import { Mirror } from "./api/mirror.ts";
import { paths } from "./api/paths.ts";
import type { ConfigMap } from "./api/types.ts";
import { epochName, systemNamespace } from "./names.ts";

const path = paths.configMap(systemNamespace, epochName);
const readyMsMax = 15_000;
const attemptsMax = 10;

/**
 * The highest epoch of a control plane that this cluster has seen for this engine, in an object that all of them watch and
 * that only moves forward. Data: the name of the engine, and its epoch.
 */
export class Epoch {
  readonly #client: ApiClient;
  readonly #engine: string;
  readonly #mirror: Mirror<ConfigMap>;
  #seen = 0;

  constructor(client: ApiClient, engine: string) {
    this.#client = client;
    this.#engine = engine;
    this.#mirror = new Mirror<ConfigMap>(client, {
      path: paths.configMaps(systemNamespace),
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
          const change = { metadata: { resourceVersion }, data: { [this.#engine]: String(epoch) } };
          await this.#client.patch(path, change);
        }
        this.#seen = Math.max(this.#seen, epoch);
        return;
      } catch (error) {
        if (!isStatus(error, 409) || attempt >= attemptsMax) throw error;
      }
    }
  }

  async #read(): Promise<ConfigMap> {
    try {
      return await this.#client.get<ConfigMap>(path);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
    const make = () =>
      this.#client.post<ConfigMap>(paths.configMaps(systemNamespace), { metadata: { name: epochName }, data: {} });
    try {
      return await make();
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
    // Nothing of ours was installed in this cluster.
    await this.#client.post(paths.namespaces, { metadata: { name: systemNamespace } }).catch(unlessThere);
    return make();
  }

  #epochIn({ data }: ConfigMap): number {
    return Number(data?.[this.#engine] ?? 0);
  }
}

function unlessThere(error: unknown): void {
  if (!isStatus(error, 409)) throw error;
}
