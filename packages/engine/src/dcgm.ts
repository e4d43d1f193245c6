import type { GpuMetrics } from "./telemetry.ts";

/** One GPU, or one instance of it, as a DCGM exporter shows it. */
export interface DcgmRow {
  readonly gpuUuid: string;
  /** The number of the MIG GPU instance. */
  readonly gpuInstance?: number;
  /** The pod that has it, where the exporter knows. */
  readonly pod?: { readonly namespace: string; readonly name: string };
  readonly metrics: GpuMetrics;
}

interface Field {
  /** Names of the exporter, those that tell more first; releases have renamed some. */
  readonly names: readonly (readonly [name: string, scale: number])[];
  readonly metric: keyof GpuMetrics;
  /** Told of an instance by itself; all others are of the whole GPU and are only repeated for its instances. */
  readonly ofInstance?: true;
  /** In ten-thousandths. */
  readonly isShare?: true;
}

const ratio = 10_000;
const percent = 100;
const prof = "DCGM_FI_PROF_";
const dev = "DCGM_FI_DEV_";

const fields: readonly Field[] = [
  {
    metric: "smActive",
    names: [
      [`${prof}SM_ACTIVE`, ratio],
      [`${prof}SM_UTIL_RATIO`, ratio],
      [`${prof}GR_ENGINE_ACTIVE`, ratio],
      [`${prof}GR_ENGINE_UTIL_RATIO`, ratio],
      [`${dev}GPU_UTIL`, percent],
    ],
    ...{ ofInstance: true, isShare: true },
  },
  {
    metric: "tensorActive",
    names: [
      [`${prof}PIPE_TENSOR_ACTIVE`, ratio],
      [`${prof}TENSOR_UTIL_RATIO`, ratio],
    ],
    ...{ ofInstance: true, isShare: true },
  },
  {
    metric: "memoryActive",
    names: [
      [`${prof}DRAM_ACTIVE`, ratio],
      [`${prof}DRAM_UTIL_RATIO`, ratio],
      [`${dev}MEM_COPY_UTIL`, percent],
    ],
    ...{ ofInstance: true, isShare: true },
  },
  { metric: "memoryUsedMiB", names: [[`${dev}FB_USED`, 1]], ofInstance: true },
  { metric: "pcieSent", names: [[`${prof}PCIE_TX_BYTES`, 1]], ofInstance: true },
  { metric: "pcieReceived", names: [[`${prof}PCIE_RX_BYTES`, 1]], ofInstance: true },
  { metric: "nvlinkSent", names: [[`${prof}NVLINK_TX_BYTES`, 1]], ofInstance: true },
  { metric: "nvlinkReceived", names: [[`${prof}NVLINK_RX_BYTES`, 1]], ofInstance: true },
  { metric: "encoderActive", names: [[`${dev}ENC_UTIL`, percent]], isShare: true },
  { metric: "memoryReservedMiB", names: [[`${dev}FB_RESERVED`, 1]] },
  {
    metric: "powerMilliwatts",
    names: [
      [`${dev}POWER_USAGE`, 1000],
      [`${dev}BOARD_POWER_WATTS`, 1000],
    ],
  },
  { metric: "energyMillijoules", names: [[`${dev}TOTAL_ENERGY_CONSUMPTION`, 1]] },
  {
    metric: "temperatureCelsius",
    names: [
      [`${dev}GPU_TEMP`, 1],
      [`${dev}GPU_TEMP_CELSIUS`, 1],
    ],
  },
  { metric: "smClockMhz", names: [[`${dev}SM_CLOCK`, 1]] },
  { metric: "memoryClockMhz", names: [[`${dev}MEM_CLOCK`, 1]] },
  {
    metric: "throttleReasons",
    names: [
      [`${dev}CLOCKS_EVENT_REASONS`, 1],
      [`${dev}CLOCK_THROTTLE_REASONS`, 1],
    ],
  },
];

type Draft = { -readonly [Name in keyof DcgmRow]: DcgmRow[Name] } & { readonly values: Map<string, number> };

/** Reads what a DCGM exporter answers. A GPU that is cut has a row of its own with what its instances have in common. */
export function parseDcgm(text: string): DcgmRow[] {
  const gpus = new Map<string, Draft>();
  const instances = new Map<string, Draft>();
  for (const line of text.split("\n")) {
    const match = /^(DCGM_FI_\w+)\{(.*)\} (\S+)/.exec(line);
    const value = match === null ? undefined : numberIn(match[3]!);
    if (match === null || value === undefined) continue;
    const labels = labelsOf(match[2]!);
    const gpuUuid = labels.get("UUID") ?? labels.get("uuid") ?? labels.get("gpu_uuid");
    if (gpuUuid === undefined) continue;
    const number = labels.get("GPU_I_ID");
    const pod = podOf(labels);
    const whole = draft(gpus, gpuUuid, { gpuUuid });
    if (number === undefined) {
      if (pod !== undefined) whole.pod = pod;
      whole.values.set(match[1]!, value);
      continue;
    }
    const gpuInstance = Number(number);
    const instance = draft(instances, `${gpuUuid}/${gpuInstance}`, { gpuUuid, gpuInstance });
    if (pod !== undefined) instance.pod = pod;
    (isOfInstance.has(match[1]!) ? instance : whole).values.set(match[1]!, value);
  }
  const cut = new Set([...instances.values()].map(({ gpuUuid }) => gpuUuid));
  return [
    ...[...gpus.values()].map((each) => rowOf(each, (field) => !cut.has(each.gpuUuid) || field.ofInstance !== true)),
    ...[...instances.values()].map((each) => rowOf(each, (field) => field.ofInstance === true)),
  ];
}

const isOfInstance = new Set(
  fields.filter(({ ofInstance }) => ofInstance === true).flatMap(({ names }) => names.map(([name]) => name)),
);

function draft(among: Map<string, Draft>, key: string, start: Pick<DcgmRow, "gpuUuid" | "gpuInstance">): Draft {
  const known = among.get(key);
  if (known !== undefined) return known;
  const made: Draft = { ...start, metrics: {}, values: new Map() };
  among.set(key, made);
  return made;
}

function rowOf({ values, metrics: _, ...row }: Draft, wanted: (field: Field) => boolean): DcgmRow {
  const found = fields.filter(wanted).flatMap(({ metric, names, isShare }) => {
    const [name, scale] = names.find(([each]) => values.has(each)) ?? [];
    if (name === undefined || scale === undefined) return [];
    const value = Math.round(values.get(name)! * scale);
    // Some releases show more than all for instances.
    return [[metric, isShare === true ? Math.min(ratio, value) : value] as const];
  });
  return { ...row, metrics: Object.fromEntries(found) };
}

/** The exporter writes numbers near the largest of their type for what is not known. */
function numberIn(text: string): number | undefined {
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || value < 0) return undefined;
  return value >= blankFrom || blanks.some((blank) => value >= blank && value < blank + 16) ? undefined : value;
}

/** Of 64-bit whole numbers, as nearly as can be told here; of 32-bit ones; and of fractions. */
const blankFrom = 2 ** 63;
const blanks = [0x7fff_fff0, 2 ** 47];

function labelsOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value = ""]) => [name, value]));
}

function podOf(labels: ReadonlyMap<string, string>): DcgmRow["pod"] {
  const name = labels.get("pod") ?? labels.get("pod_name");
  const namespace = labels.get("namespace") ?? labels.get("pod_namespace");
  return name && namespace ? { namespace, name } : undefined;
}
