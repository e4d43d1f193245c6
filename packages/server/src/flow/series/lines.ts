/**
 * The names of roll-ups. A line is a name and an account; its values have keys, such as the class of held GPUs. Lines of
 * an account include everything below it; those of the fleet belong to the root.
 */
const gaugeNames = [
  "allocated",
  "allocated.model",
  "reserved",
  "capacity",
  "idle",
  "down",
  "waiting",
  "guarantee",
  "max",
  "lent",
  "fragmentation",
  "samples",
] as const;
/** Whole numbers of which a mean says nothing: a step has what stands at its end. */
const lastNames = ["largest.level", "largest.node", "largest.rack", "largest.block", "largest.fleet"] as const;
const counterNames = ["starts", "ends", "preemptions", "waits"] as const;
/** The keys of this line are the accounts deleted right below an account. They are kept as long as other keys. */
const formerName = "former";
export const lineNames = [...gaugeNames, ...lastNames, ...counterNames, formerName] as const;
export type LineName = (typeof lineNames)[number];

/** Whether the last minute of a step stands for all of it. */
export function isOfLast(name: LineName): boolean {
  return lastNames.some((each) => each === name);
}

/**
 * Values that are divided when read, such as a limit by the minutes in which it was set, have two keys: the amount, and
 * under this key the divisor.
 */
export function divisorKey(key: string): string {
  return `/${key}`;
}

/** The key of the amount, given either key. */
export function amountKey(key: string): string {
  return key.startsWith("/") ? key.slice(1) : key;
}

/** Where values come in. */
export interface Sink {
  add(name: LineName, account: string, key: string, value: number): void;
}
