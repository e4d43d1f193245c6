/** Quantities. Integers only: every amount in Tessera is a whole number of the unit its name ends in. */

/**
 * One GPU in units. 21,000 is divisible by 7 (MIG compute slices), 8 (MIG memory slices) and 1,000 (thousandths),
 * so every part that a GPU can be cut into is exact and 0.1 + 0.2 of a GPU equals 0.3.
 */
export const unitsPerGpu = 21_000;

/** Milliseconds since the epoch. The core receives the time as a value; it has no clock. */
export type Instant = number;

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
