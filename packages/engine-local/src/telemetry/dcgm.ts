import { parseDcgm } from "@tessera/engine";
import type { GpuReading, GpuSource, Reading } from "./source.ts";

const answersMsMax = 5_000;
const bytesMax = 16 << 20;

/** The uuids of MIG instances, by `GPU-uuid/number of the GPU instance`. */
export type InstanceNames = () => Promise<ReadonlyMap<string, string>>;

/** What a DCGM exporter on this machine says. It numbers MIG instances, and the driver knows which uuid each has. */
export class DcgmExporter implements GpuSource {
  readonly name = "dcgm";
  readonly #url: string;
  readonly #names: InstanceNames;
  #known: ReadonlyMap<string, string> = new Map();

  constructor(url: string, names: InstanceNames) {
    this.#url = url;
    this.#names = names;
  }

  async read(): Promise<Reading> {
    const rows = parseDcgm(await this.#fetch());
    if (rows.length === 0) throw new Error(`${this.#url} shows no GPU`);
    const numbered = rows.flatMap(({ gpuUuid, gpuInstance }) =>
      gpuInstance === undefined ? [] : [`${gpuUuid}/${gpuInstance}`],
    );
    if (numbered.some((each) => !this.#known.has(each))) this.#known = await this.#names();
    const gpus = rows.flatMap(({ gpuUuid, gpuInstance, metrics }): GpuReading[] => {
      if (gpuInstance === undefined) return [{ gpuUuid, metrics }];
      const instance = this.#known.get(`${gpuUuid}/${gpuInstance}`);
      return instance === undefined ? [] : [{ gpuUuid, instance, metrics }];
    });
    return { gpus, processes: [] };
  }

  /** The GPUs are about to be cut otherwise: a number may stand for another instance afterwards. */
  letGo(): void {
    this.#known = new Map();
  }

  async #fetch(): Promise<string> {
    const answer = await fetch(this.#url, { signal: AbortSignal.timeout(answersMsMax), redirect: "error" });
    if (!answer.ok || answer.body === null) throw new Error(`${this.#url} answered ${answer.status}`);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of answer.body) {
      bytes += part.byteLength;
      if (bytes > bytesMax) throw new Error(`${this.#url} answers with more than ${bytesMax} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts).toString("utf8");
  }
}
