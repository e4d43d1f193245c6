import { readTable, type Table } from "./csv.ts";

/** GPUs that one team asks for, running or waiting, at even steps of one day. */
export type DemandDay = readonly number[];

/** Every day of every tenant of a Helios demand table on which it asked for anything. */
export function readHelios(path: string): DemandDay[] {
  const table = readTable(path);
  const [teams, times] = [table.texts("vc"), table.texts("time")];
  const [running, pending] = [table.numbers("running_gpu_num"), table.numbers("pending_gpu_num")];
  const days = new Map<string, number[]>();
  for (const [row, time] of times.entries()) {
    const key = `${teams[row]} ${time.slice(0, 10)}`;
    const day = days.get(key) ?? [];
    day.push(running[row]! + pending[row]!);
    days.set(key, day);
  }
  return [...days.values()].filter((day) => day.some((gpus) => gpus > 0));
}

/** GPUs that each tenant was given on one day. */
export interface QuotaDay {
  readonly date: string;
  readonly gpusOf: ReadonlyMap<string, number>;
}

/** Every day of a Helios table of quotas: a column for each tenant, and their sum in the last. */
export function quotaDaysOf(table: Table): QuotaDay[] {
  const tenants = table.columns.filter((name) => name !== "date" && name !== "total");
  const columns = tenants.map((tenant) => table.wholes(tenant));
  return table.texts("date").map((date, row) => ({
    date,
    gpusOf: new Map(tenants.map((tenant, at) => [tenant, columns[at]![row]!])),
  }));
}
