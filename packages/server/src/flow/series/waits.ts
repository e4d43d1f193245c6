/** Slots of waits: four to a doubling from one second on, so that a quantile is right within a tenth. */
const perDoubling = 4;
export const slotsMax = 96;
const second = 1_000;

export function slotOf(waitMs: number): number {
  if (waitMs < second) return 0;
  return Math.min(slotsMax - 1, 1 + Math.floor(Math.log2(waitMs / second) * perDoubling));
}

/** The middle of a slot, in seconds. */
export function secondsOf(slot: number): number {
  return slot === 0 ? 0 : 2 ** ((slot - 0.5) / perDoubling);
}

/** The wait below which this part of all waits is, by their number in each slot; undefined without any. */
export function quantileOf(counts: Float64Array, part: number): number | undefined {
  let all = 0;
  for (const count of counts) all += count;
  if (all === 0) return undefined;
  let left = Math.max(1, Math.ceil(all * part));
  for (let slot = 0; slot < counts.length; slot++) {
    left -= counts[slot]!;
    if (left <= 0) return secondsOf(slot);
  }
  return undefined;
}
