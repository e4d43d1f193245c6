import type { HealthFinding } from "@tessera/core";
import type { RunTool } from "../telemetry/nvidia-smi.ts";

type Found = Pick<HealthFinding, "source" | "code" | "text" | "gpuUuid">;

/** What one GPU says of itself; absent = not known, which is never a fault. */
interface Reading {
  readonly gpuUuid: string;
  readonly values: ReadonlyMap<string, number>;
}

interface Rule {
  readonly source: HealthFinding["source"];
  readonly code: string;
  /** The fields of `--query-gpu` that it compares. */
  readonly fields: readonly string[];
  /** What is wrong, in words; undefined where nothing is. */
  readonly judge: (...values: number[]) => string | undefined;
  /** How many readings in a row must be wrong before it is told. */
  readonly inARow?: number;
}

const over = (name: string, most: number) => (value: number) =>
  value > most ? `${value} ${name}, at most ${most} are usual` : undefined;
const isOn = (name: string) => (value: number) => (value === 1 ? name : undefined);

/**
 * What is wrong with which counter. The limits are those that operators publish (docs/decisions/0054). Counters of errors are
 * those since the driver was loaded: what was repaired before is not told again.
 */
export const rules: readonly Rule[] = [
  rule("ecc", "sram-uncorrected", ["ecc.errors.uncorrected.volatile.sram"], over("uncorrectable errors of SRAM", 0)),
  rule("ecc", "dram-uncorrected", ["ecc.errors.uncorrected.volatile.dram"], over("uncorrectable errors of DRAM", 0)),
  rule("ecc", "sram-corrected", ["ecc.errors.corrected.volatile.sram"], over("corrected errors of SRAM", 10_000)),
  rule("ecc", "dram-corrected", ["ecc.errors.corrected.volatile.dram"], over("corrected errors of DRAM", 20_000_000)),
  rule("remap", "pending", ["remapped_rows.pending"], over("memory rows wait to be replaced", 0)),
  rule("remap", "failed", ["remapped_rows.failure"], over("memory rows could not be replaced", 0)),
  rule("remap", "exhausted", ["remapped_rows.uncorrectable"], over("memory rows were replaced", 512)),
  { ...rule("throttle", "hw-thermal", ["clocks_event_reasons.hw_thermal_slowdown"], isOn("too hot")), inARow: 3 },
  {
    ...rule("throttle", "power-brake", ["clocks_event_reasons.hw_power_brake_slowdown"], isOn("power brake")),
    inARow: 3,
  },
  { ...rule("pcie", "width", ["pcie.link.width.current", "pcie.link.width.max"], narrower), inARow: 3 },
];

function rule(source: Rule["source"], code: string, fields: readonly string[], judge: Rule["judge"]): Rule {
  return { source, code, fields, judge };
}

function narrower(now: number, most: number): string | undefined {
  return now < most ? `x${now} of x${most}` : undefined;
}

const fields = [...new Set(rules.flatMap((each) => each.fields))];

/**
 * Reads what the driver counts. Each fault is told when it is first seen and again when it has grown, and a GPU that was there
 * and no longer answers is told once.
 */
export class Counters {
  readonly #run: RunTool;
  readonly #told = new Map<string, string>();
  readonly #wrongFor = new Map<string, number>();
  #gpusSeen: ReadonlySet<string> = new Set();

  constructor(run: RunTool) {
    this.#run = run;
  }

  /** `expected` are the GPUs that the node has. */
  async read(expected: readonly string[]): Promise<Found[]> {
    const csv = await this.#run([`--query-gpu=uuid,${fields.join(",")}`, "--format=csv,noheader,nounits"]);
    const readings = parseReadings(csv);
    const found = [...this.#lost(expected, readings), ...(await this.#links(readings))];
    for (const reading of readings)
      for (const each of rules) {
        const wrong = wrongOf(each, reading);
        found.push(...this.#tell({ ...each, gpuUuid: reading.gpuUuid }, wrong, each.inARow));
      }
    return found;
  }

  #lost(expected: readonly string[], readings: readonly Reading[]): Found[] {
    const here = new Set(readings.map(({ gpuUuid }) => gpuUuid));
    const gone = [...new Set([...expected, ...this.#gpusSeen])].filter((uuid) => !here.has(uuid));
    this.#gpusSeen = new Set([...this.#gpusSeen, ...here]);
    return gone.flatMap((gpuUuid) =>
      this.#tell({ source: "bus", code: "lost", gpuUuid }, "the driver no longer lists the GPU"),
    );
  }

  /** `nvidia-smi nvlink --status` is a text of its own: a link that is down says so. */
  async #links(readings: readonly Reading[]): Promise<Found[]> {
    const text = await this.#run(["nvlink", "--status"]).catch(() => "");
    return [...inactiveLinks(text)]
      .filter(([gpuUuid]) => readings.some((each) => each.gpuUuid === gpuUuid))
      .flatMap(([gpuUuid, links]) =>
        this.#tell(
          { source: "nvlink", code: "inactive", gpuUuid },
          links.length === 0 ? undefined : `links ${links.join(", ")} are inactive`,
        ),
      );
  }

  #tell(what: Omit<Found, "text">, wrong: string | undefined, inARow = 1): Found[] {
    const { source, code, gpuUuid } = what;
    const key = `${gpuUuid} ${source} ${code}`;
    const times = wrong === undefined ? 0 : (this.#wrongFor.get(key) ?? 0) + 1;
    this.#wrongFor.set(key, times);
    if (wrong === undefined) this.#told.delete(key);
    if (wrong === undefined || times < inARow || this.#told.get(key) === wrong) return [];
    this.#told.set(key, wrong);
    return [{ source, code, text: wrong, ...(gpuUuid !== undefined && { gpuUuid }) }];
  }
}

function wrongOf({ fields: names, judge }: Rule, { values }: Reading): string | undefined {
  const asked = names.map((name) => values.get(name));
  return asked.every((value) => value !== undefined) ? judge(...asked) : undefined;
}

/** Rows of `--query-gpu=uuid,…`. What is not a number, `Yes`, `No`, `Active` or `Not Active` is not known. */
function parseReadings(csv: string): Reading[] {
  return csv
    .split("\n")
    .map((row) => row.split(",").map((value) => value.trim()))
    .filter(([uuid]) => uuid?.startsWith("GPU-"))
    .map(([gpuUuid = "", ...texts]) => ({
      gpuUuid,
      values: new Map(
        texts.flatMap((text, i) => {
          const value = meaningOf(text);
          return value === undefined ? [] : [[fields[i]!, value] as const];
        }),
      ),
    }));
}

function meaningOf(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  return { yes: 1, active: 1, no: 0, "not active": 0 }[text.toLowerCase()];
}

/** Links that are inactive, by GPU; a GPU without NVLink is not in it, and one on which all are inactive has none to lose. */
export function inactiveLinks(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const block of text.split(/^GPU \d+:/m).slice(1)) {
    const uuid = /UUID:\s*(GPU-[0-9a-zA-Z-]+)/.exec(block)?.[1];
    const links = [...block.matchAll(/Link (\d+):\s*(.*)$/gm)];
    const down = links.filter(([, , state = ""]) => /inactive/i.test(state)).map(([, no = ""]) => no);
    if (uuid !== undefined && links.length > 0) found.set(uuid, down.length === links.length ? [] : down);
  }
  return found;
}
