import { readFileSync } from "node:fs";
import { BadInput, WrongUsage } from "../command/command.ts";
import { readTable, type Table } from "../trace/csv.ts";

export interface Machine {
  readonly cpuMilli: number;
  readonly memoryMiB: number;
  readonly devices: number;
  readonly model: string;
}

/** What a task may hold and when, as its trace says. Times in seconds. */
export interface Ask {
  readonly devices: number;
  readonly milli: number;
  readonly cpuMilli: number;
  readonly memoryMiB: number;
  /** Empty: any. */
  readonly models: readonly string[];
  readonly account: string;
  /** Left out where the protocol has no time. */
  readonly submittedAt?: number;
  readonly runs?: number;
}

export interface Row {
  readonly line: number;
  readonly task: string;
  readonly node: string;
  readonly devices: readonly number[];
  readonly milli: number;
  readonly start: number;
  readonly end: number;
}

export interface AccountRule {
  /** GPUs that the account and those below it may hold together, by model; `*` counts all. */
  readonly max?: Readonly<Record<string, number>>;
  readonly trust?: "trusted" | "untrusted" | "confidential";
  readonly trust_group?: string;
}

/** The nodes of a CSV file, or `16x8` for nodes n0 to n15 with 8 GPUs each and plenty of everything else. */
export function readMachines(nodes: string): Map<string, Machine> {
  const plain = /^(\d+)x(\d+)$/.exec(nodes);
  if (plain !== null) {
    const machine = { cpuMilli: Infinity, memoryMiB: Infinity, devices: Number(plain[2]), model: "" };
    return new Map(Array.from({ length: Number(plain[1]) }, (_, at) => [`n${at}`, machine]));
  }
  const table = readTable(nodes);
  if (table.has("node_name", "cpu_num", "gpu_capacity_num", "gpu_model")) return inventoryOf(table);
  const [cpu, memory, gpus] = ["cpu_milli", "memory_mib", "gpu"].map((name) => table.numbers(name));
  const models = table.texts("model");
  return new Map(
    table
      .texts("sn")
      .map((name, at) => [
        name,
        { cpuMilli: cpu![at]!, memoryMiB: memory![at]!, devices: gpus![at]!, model: models[at]! },
      ]),
  );
}

/** An inventory tells no memory. */
function inventoryOf(table: Table): Map<string, Machine> {
  const [cpus, devices] = [table.numbers("cpu_num"), table.wholes("gpu_capacity_num")];
  const [names, models] = [table.texts("node_name"), table.texts("gpu_model")];
  return new Map(
    names.map((name, at) => [
      name,
      { cpuMilli: cpus[at]! * 1_000, memoryMiB: Infinity, devices: devices[at]!, model: models[at]! },
    ]),
  );
}

/** The tasks of a trace by name; a trace without names counts its rows from 1. */
export function readAsks(path: string): Map<string, Ask> {
  const table = readTable(path);
  const names = table.has("name") ? table.texts("name") : table.has("job_id") ? table.texts("job_id") : undefined;
  const devices = table.numbers(table.has("num_gpus") ? "num_gpus" : "num_gpu");
  const optional = (name: string) => (table.has(name) ? table.numbers(name) : undefined);
  const [milli, cpu, memory] = [optional("gpu_milli"), optional("cpu_milli"), optional("memory_mib")];
  const models = table.texts("gpu_spec", "");
  const accountColumn = ["account", "tenant", "cluster"].find((name) => table.has(name));
  const accounts = accountColumn === undefined ? undefined : table.texts(accountColumn);
  const times = timesOf(table);
  return new Map(
    table.rows.map((_, at) => [
      names?.[at] ?? String(at + 1),
      {
        devices: devices[at]!,
        milli: devices[at] === 0 ? 0 : (milli?.[at] ?? 1000),
        cpuMilli: cpu?.[at] ?? 0,
        memoryMiB: memory?.[at] ?? 0,
        models: models[at]!.split("|").filter((model) => model !== ""),
        account: accounts?.[at] ?? "",
        ...times(at),
      },
    ]),
  );
}

/** Each kind of trace tells the time in its own way. */
function timesOf(table: Table): (at: number) => Pick<Ask, "submittedAt" | "runs"> {
  if (table.has("submit_time", "iterations", "iteration_time")) {
    const [submit, iterations, each] = ["submit_time", "iterations", "iteration_time"].map((n) => table.numbers(n));
    return (at) => ({ submittedAt: submit![at]! / 1000, runs: (iterations![at]! * each![at]!) / 1000 });
  }
  if (table.has("submission_time")) {
    const [submit, runs] = ["submission_time", "duration"].map((name) => table.numbers(name));
    return (at) => ({ submittedAt: submit![at]!, runs: runs![at]! });
  }
  if (table.has("timestamp")) {
    const [submit, runs] = [table.texts("timestamp"), table.numbers("duration")];
    return (at) => ({ submittedAt: Date.parse(`${submit[at]!.replace(" ", "T")}Z`) / 1000, runs: runs[at]! });
  }
  return () => ({});
}

/** The rows of a decision log, with the line each stands on. */
export function readLog(path: string): Row[] {
  const table = readTable(path);
  const [tasks, nodes, devices] = ["task", "node", "devices"].map((name) => table.texts(name));
  const [milli, start, end] = ["milli", "start", "end"].map((name) => table.numbers(name));
  return table.rows.map((_, at) => ({
    line: at + 2,
    task: tasks![at]!,
    node: nodes![at]!,
    devices: devices![at] === "" ? [] : devices![at]!.split(";").map(Number),
    milli: milli![at]!,
    start: start![at]!,
    end: end![at]!,
  }));
}

const accountsForm = '{"lab": {"trust_group": "ours"}, "lab/vision": {"max": 16}, "lab/nlp": {"max": {"H100": 8}}}';

/** What accounts may hold, and beside which others: a JSON object by account path, as in the accounts of a scenario. */
export function readAccountRules(path: string): Map<string, AccountRule> {
  let raw: unknown;
  try {
    raw = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new BadInput(`${path}: cannot be read: ${(error as Error).message}; write ${accountsForm}`);
  }
  if (!isRecord(raw)) throw new BadInput(`${path}: is not an object; write ${accountsForm}`);
  return new Map(Object.entries(raw).map(([account, rule]) => [account, ruleOf(path, account, rule)]));
}

function ruleOf(path: string, account: string, raw: unknown): AccountRule {
  const bad = (field: string, value: unknown) =>
    new BadInput(`${path}: ${account}${field} is ${JSON.stringify(value)}; write ${accountsForm}`);
  if (!isRecord(raw)) throw bad("", raw);
  const { max, trust, trust_group: group, ...rest } = raw;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw bad(`.${unknown}`, rest[unknown]);
  if (trust !== undefined && trust !== "trusted" && trust !== "untrusted" && trust !== "confidential") {
    throw bad(".trust", trust);
  }
  if (group !== undefined && typeof group !== "string") throw bad(".trust_group", group);
  const limits = typeof max === "number" ? { "*": max } : max;
  if (limits !== undefined && (!isRecord(limits) || !Object.values(limits).every(isAmount))) throw bad(".max", max);
  return {
    ...(limits !== undefined && { max: limits as Record<string, number> }),
    ...(trust !== undefined && { trust }),
    ...(group !== undefined && { trust_group: group }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAmount(value: unknown): boolean {
  return typeof value === "number" && value >= 0;
}

/** The value of an option that must be there. */
export function need(value: string | undefined, option: string): string {
  if (value === undefined) throw new WrongUsage(`${option} is missing; see tess-sim --help`);
  return value;
}
