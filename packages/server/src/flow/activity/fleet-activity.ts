import { type FleetNode, type GpuNo, nodeName, type ReadonlyState, recordGpu } from "@tessera/core";
import type { GpuMetrics } from "@tessera/engine";
import type { TelemetryRow } from "@tessera/telemetry";
import type { FleetActivity, FleetMetric } from "@tessera/wire";
import { type Holding, isSimulated } from "./holding.ts";

interface Measured {
  readonly unit: string;
  /** Undefined where it was not measured, which is not 0. */
  readonly of: (metrics: GpuMetrics) => number | undefined;
}

const measures: Readonly<Record<FleetMetric, Measured>> = {
  activity: { unit: "%", of: ({ smActive }) => smActive && smActive / 100 },
  power: { unit: "W", of: ({ powerMilliwatts }) => powerMilliwatts && powerMilliwatts / 1_000 },
  temperature: { unit: "°C", of: ({ temperatureCelsius }) => temperatureCelsius },
};

/** One value for each GPU; of a GPU in parts, the mean over the parts that were measured. */
class Means<Key> {
  readonly #of: Measured["of"];
  readonly #sums = new Map<Key, { sum: number; weight: number }>();
  simulated = false;

  constructor({ of }: Measured) {
    this.#of = of;
  }

  add(key: Key, weight: number, metrics: GpuMetrics, simulated: boolean): void {
    const value = this.#of(metrics);
    if (value === undefined || weight === 0) return;
    const known = this.#sums.get(key) ?? { sum: 0, weight: 0 };
    known.sum += weight * value;
    known.weight += weight;
    this.#sums.set(key, known);
    this.simulated ||= simulated;
  }

  get(key: Key): number | null {
    const known = this.#sums.get(key);
    return known === undefined ? null : Math.round(known.sum / known.weight);
  }
}

/** What was measured of the whole fleet just now, whether a lease holds it or not. */
export function activityOfFleet(state: ReadonlyState, rows: readonly TelemetryRow[], metric: FleetMetric) {
  const means = new Means<string>(measures[metric]);
  for (const row of rows) means.add(row.gpu, row.share, row.metrics, isSimulated(row));
  return told(state, metric, true, means, ({ facts }, index) => recordGpu(state.fleet, facts, facts.gpus[index]!.uuid));
}

/** The same of what some accounts hold, with what is their own alone. */
export function activityOfHoldings(state: ReadonlyState, holdings: readonly Holding[], metric: FleetMetric) {
  const means = new Means<GpuNo>(measures[metric]);
  for (const { gpuNo, units, measured } of holdings)
    if (measured !== undefined) means.add(gpuNo, units, measured.metrics, measured.simulated);
  return told(state, metric, false, means, ({ firstGpu }, index) => (firstGpu + index) as GpuNo);
}

/** Nodes of which nothing is known are left out. */
function told<Key>(
  { fleet }: ReadonlyState,
  metric: FleetMetric,
  whole: boolean,
  means: Means<Key>,
  keyOf: (node: FleetNode, index: number) => Key,
): Omit<FleetActivity, "at"> {
  const nodes: FleetActivity["nodes"] = {};
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    const values = node.facts.gpus.map((_, index) => means.get(keyOf(node, index)));
    if (values.some((value) => value !== null)) nodes[nodeName(fleet, node)] = values;
  }
  const { unit } = measures[metric];
  return { metric, unit, whole, nodes, ...(means.simulated && { simulated: true as const }) };
}
