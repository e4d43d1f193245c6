import type { DeviceRow, Projected } from "./port.ts";
import { storable } from "./text.ts";

/**
 * The rows as every store holds them: text that all can hold, and of several rows for one device, instant and number
 * the last, which is the one that counts. What is compared with a store must have gone through this.
 */
export function asStored({ jobs, usage, devices, audit, books }: Projected): Projected {
  return {
    jobs: jobs.map(storableRow),
    usage: usage.map(storableRow),
    devices: devices.length > 1 ? lastOfEach(devices).map(storableRow) : devices.map(storableRow),
    audit: audit.map(storableRow),
    books: books.map(storableRow),
  };
}

function lastOfEach(devices: readonly DeviceRow[]): DeviceRow[] {
  return [...new Map(devices.map((row) => [`${row.gpu}\n${row.at}\n${row.seq}`, row])).values()];
}

/** The row itself, unless one of its texts has to be changed. */
function storableRow<Row extends object>(row: Row): Row {
  for (const field in row) {
    const value = row[field];
    if (typeof value === "string" && storable(value) !== value) return withStorable(row);
  }
  return row;
}

function withStorable<Row extends object>(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [field, typeof value === "string" ? storable(value) : value]),
  ) as Row;
}
