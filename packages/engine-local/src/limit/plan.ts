import { join } from "node:path";
import type { StateFolder } from "../lease/folder.ts";
import type { RunSheet } from "../supervise/sheet.ts";

/** Decides how a member will be limited and closed in on this machine. */
export function planRun(
  order: RunSheet["order"],
  state: StateFolder,
  bootId: string,
  log: { readonly logBytesMax: number; readonly logFilesMax: number },
): RunSheet {
  const folder = join(state.work, order.lease);
  const work = join(folder, "work");
  const temporary = join(folder, "tmp");
  return {
    order,
    bootId,
    enforcement: { time: "supervisor", memory: "none", cpu: "none", processes: "none", gpu: "environment" },
    asked: [],
    groups: [],
    wrapper: [],
    contained: false,
    workFolder: work,
    temporaryFolder: temporary,
    workPath: work,
    temporaryPath: temporary,
    logFolder: join(state.logs, order.lease),
    hintFile: join(state.hints, order.lease),
    ...log,
  };
}
