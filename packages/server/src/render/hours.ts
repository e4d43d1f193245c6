import { type ChargeKind, perHour } from "@tessera/core";

/** A quantity in hours of a GPU, a core or a GiB, rounded to thousandths, for people. */
export function hours(kind: ChargeKind, quantity: bigint): string {
  const unit = perHour(kind);
  const [sign, size] = quantity < 0n ? ["-", -quantity] : ["", quantity];
  const thousandths = (size * 1000n + unit / 2n) / unit;
  return `${sign}${thousandths / 1000n}.${String(thousandths % 1000n).padStart(3, "0")}`;
}
