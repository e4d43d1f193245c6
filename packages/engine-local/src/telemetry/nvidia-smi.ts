import type { GpuMetrics } from "@tessera/engine";
import { complaintOf, runSmi } from "../part/smi.ts";
import type { GpuProcess, GpuReading, GpuSource, Reading } from "./source.ts";

/** The fields that are asked for, each with the metric it tells and how many of its units are one of ours. */
const fields = [
  ["utilization.gpu", "smActive", 100],
  ["utilization.memory", "memoryActive", 100],
  ["utilization.encoder", "encoderActive", 100],
  ["memory.used", "memoryUsedMiB", 1],
  ["memory.reserved", "memoryReservedMiB", 1],
  ["power.draw", "powerMilliwatts", 1000],
  ["temperature.gpu", "temperatureCelsius", 1],
  ["clocks.sm", "smClockMhz", 1],
  ["clocks.mem", "memoryClockMhz", 1],
] as const satisfies readonly (readonly [string, keyof GpuMetrics, number])[];

/** The name of this one changed; drivers of 2023 and later know the first. */
const throttleFields = ["clocks_event_reasons.active", "clocks_throttle_reasons.active"] as const;

/** Runs the tool with these words. */
export type RunTool = (words: readonly string[]) => Promise<string>;

/**
 * What the tool of the driver says. It knows whole GPUs alone, and its `utilization.gpu` is the share of time in which
 * anything ran, so one busy SM shows as a busy GPU: the other sources are better where they are.
 */
export class NvidiaSmi implements GpuSource {
  readonly name = "nvidia-smi";
  readonly #run: RunTool;
  #throttleField: string = throttleFields[0];

  constructor(run: RunTool = runNvidiaSmi) {
    this.#run = run;
  }

  async read(): Promise<Reading> {
    const gpus = parseGpus(await this.#queryGpus());
    const apps = await this.#run(["--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]);
    return { gpus, processes: parseProcesses(apps) };
  }

  async #queryGpus(): Promise<string> {
    const names = fields.map(([name]) => name).join(",");
    const ask = () =>
      this.#run([`--query-gpu=uuid,mig.mode.current,${this.#throttleField},${names}`, "--format=csv,noheader,nounits"]);
    return ask().catch((error) => {
      if (this.#throttleField === throttleFields[1]) throw error;
      this.#throttleField = throttleFields[1];
      return ask();
    });
  }
}

/** Rows of `--query-gpu`, without a header and without units. What is not a number is not known. */
export function parseGpus(csv: string): GpuReading[] {
  return rowsOf(csv).map(([gpuUuid = "", mig, throttle = "", ...values]) => {
    const isCut = mig === "Enabled";
    const metrics: { -readonly [Name in keyof GpuMetrics]: number } = {};
    for (const [i, [, metric, scale]] of fields.entries()) {
      const value = numberOf(values[i]);
      // Of a GPU that is cut, memory and activity belong to its instances, which the tool does not tell apart.
      if (value !== undefined && !(isCut && ofInstances.has(metric))) metrics[metric] = Math.round(value * scale);
    }
    const reasons = /^0x[0-9a-f]+$/i.test(throttle) ? Number(throttle) : undefined;
    return { gpuUuid, metrics: { ...metrics, ...(reasons !== undefined && { throttleReasons: reasons }) } };
  });
}

const ofInstances: ReadonlySet<keyof GpuMetrics> = new Set([
  "smActive",
  "memoryActive",
  "encoderActive",
  "memoryUsedMiB",
]);

/** Rows of `--query-compute-apps=pid,used_memory`: a process that uses two GPUs has two. */
export function parseProcesses(csv: string): GpuProcess[] {
  return rowsOf(csv).flatMap(([pid, used]) => {
    const [number, memoryMiB] = [numberOf(pid), numberOf(used)];
    return number === undefined || memoryMiB === undefined ? [] : [{ pid: number, memoryMiB }];
  });
}

function rowsOf(csv: string): string[][] {
  return csv
    .split("\n")
    .filter((line) => line.includes(","))
    .map((line) => line.split(",").map((value) => value.trim()));
}

/** `[N/A]`, `[Not Supported]` and the like are no numbers. */
function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

export async function runNvidiaSmi(words: readonly string[]): Promise<string> {
  const said = await runSmi(words);
  if (said.code !== 0) throw new Error(`nvidia-smi ${words[0]} failed: ${complaintOf(said)}`);
  return said.text;
}
