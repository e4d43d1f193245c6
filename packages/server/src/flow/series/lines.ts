/**
 * The names under which roll-ups are kept. A line is a name and an account, and its values are told apart by keys, such
 * as the class of what is held. Lines of an account count everything below it too; lines of the fleet belong to the root.
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
  "largest",
  "largest.model",
  "largest.level",
  "fragmentation",
  "samples",
] as const;
const counterNames = ["starts", "ends", "preemptions", "waits"] as const;
/** No amounts: its keys are the accounts that were deleted below an account, as long as anything of them is kept. */
const formerName = "former";
export const lineNames = [...gaugeNames, ...counterNames, formerName] as const;
export type LineName = (typeof lineNames)[number];

/**
 * What is divided only when it is read, such as a limit by the minutes in which there is one, has two keys of a line for
 * each of its own: the amount, and under this key what it is divided by.
 */
export function divisorKey(key: string): string {
  return `/${key}`;
}

/** The key of the amount, given that or the key of its divisor. */
export function amountKey(key: string): string {
  return key.startsWith("/") ? key.slice(1) : key;
}

/** Where values come in. */
export interface Sink {
  add(name: LineName, account: string, key: string, value: number): void;
}
