import { join } from "node:path";
import type { LeaseId } from "@tessera/core";
import { leaseFile, readIfThere } from "../lease/folder.ts";
import type { LeaseRecord } from "../lease/record.ts";
import type { RunSheet } from "../supervise/sheet.ts";
import type { Holding } from "./telemeter.ts";

type Sheet = Pick<RunSheet, "order" | "mark" | "groups" | "gpuMinors">;

/** The leases that hold something now, with what telemetry needs of them. Each sheet is read once. */
export class Holdings {
  #sheets = new Map<LeaseId, Sheet>();

  async of(
    records: Iterable<LeaseRecord>,
  ): Promise<{ readonly held: readonly Holding[]; readonly isBeingCut: boolean }> {
    const sheets = new Map<LeaseId, Sheet>();
    const held: Holding[] = [];
    let isBeingCut = false;
    for (const record of records) {
      if (record.hasEnded) continue;
      const sheet = this.#sheets.get(record.id) ?? (await readSheet(record));
      if (sheet === undefined) continue; // it is just being made
      sheets.set(record.id, sheet);
      const prepared = record.reports.map(({ what }) => what).find(({ kind }) => kind === "prepared");
      if (prepared === undefined && touchesDevices(sheet)) isBeingCut = true;
      held.push({
        ...{ lease: record.id, mark: sheet.mark, groups: sheet.groups, gpuUuids: sheet.order.gpuUuids },
        ...(prepared?.kind === "prepared" && prepared.devices !== undefined && { instances: prepared.devices }),
      });
    }
    this.#sheets = sheets;
    return { held, isBeingCut };
  }
}

/** Whether its GPUs are reset or cut before it is ready. The driver refuses both while another program has the device open. */
export function touchesDevices({ order, gpuMinors }: Pick<RunSheet, "order" | "gpuMinors">): boolean {
  const isReal = Object.keys(gpuMinors).length > 0;
  return isReal && (order.scrub !== undefined || order.reshape !== undefined || order.part?.mode === "mig");
}

async function readSheet({ folder }: LeaseRecord): Promise<Sheet | undefined> {
  const text = await readIfThere(join(folder, leaseFile.order));
  if (text === undefined) return undefined;
  // A member that an earlier version started has a sheet without the numbers.
  const { order, mark, groups, gpuMinors = {} } = JSON.parse(text) as RunSheet;
  return { order, mark, groups, gpuMinors };
}
