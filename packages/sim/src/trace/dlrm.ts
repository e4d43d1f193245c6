import type { Table } from "./csv.ts";

/** One instance of a recommendation service; times in seconds, absent where they lie outside of the trace. */
export interface DlrmInstance {
  readonly name: string;
  readonly app: string;
  /** `HN` has GPUs, `CN` has none. */
  readonly role: string;
  readonly cpus: number;
  readonly gpus: number;
  /** Percent of one network card. */
  readonly rdmaPercent: number;
  readonly memoryGiB: number;
  readonly diskGiB: number;
  /** The most instances of one app on a node; absent = any number. */
  readonly perNodeMax?: number;
  readonly createdAt?: number;
  readonly deletedAt?: number;
}

export const dlrmColumns = ["instance_sn", "role", "app_name", "rdma_request", "max_instance_per_node"] as const;

/** The instances of a disaggregated service, as in alibaba-dlrm-2025. */
export function dlrmOf(table: Table): DlrmInstance[] {
  const [names, apps, roles] = ["instance_sn", "app_name", "role"].map((name) => table.texts(name));
  const [cpus, gpus, rdma, memory, disk] = ["cpu", "gpu", "rdma", "memory", "disk"].map((name) =>
    table.numbers(`${name}_request`),
  );
  const perNode = table.texts("max_instance_per_node");
  const [created, deleted] = [timesOf(table, "creation_time"), timesOf(table, "deletion_time")];
  return names!.map((name, row) => ({
    ...{ name, app: apps![row]!, role: roles![row]!, cpus: cpus![row]!, gpus: gpus![row]! },
    ...{ rdmaPercent: rdma![row]!, memoryGiB: memory![row]!, diskGiB: disk![row]! },
    ...(perNode[row] !== "-1" && { perNodeMax: limitOf(table, perNode[row]!, row) }),
    ...(created[row] !== undefined && { createdAt: created[row] }),
    ...(deleted[row] !== undefined && { deletedAt: deleted[row] }),
  }));
}

function limitOf(table: Table, text: string, row: number): number {
  const limit = Number(text);
  if (text !== "" && Number.isSafeInteger(limit) && limit > 0) return limit;
  throw table.bad("max_instance_per_node", row, "write a whole number from 1 on, or -1 for any");
}

/** Empty: before the trace began, or after it ended. */
function timesOf(table: Table, name: string): (number | undefined)[] {
  return table.texts(name).map((text, row) => {
    if (text === "") return undefined;
    const time = Number(text);
    if (Number.isFinite(time)) return time;
    throw table.bad(name, row, "write seconds, or nothing");
  });
}
