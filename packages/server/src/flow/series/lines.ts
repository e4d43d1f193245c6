/**
 * The names under which roll-ups are kept. A line is a name, an account and a key, such as the class of what it holds.
 * Lines of an account count everything below it too; lines of the fleet belong to the root.
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
  "fragmentation.model",
  "samples",
] as const;
const counterNames = ["starts", "ends", "preemptions", "waits"] as const;
export const lineNames = [...gaugeNames, ...counterNames];
export type LineName = (typeof lineNames)[number];

/** Where values come in. */
export interface Sink {
  add(name: LineName, account: string, key: string, value: number): void;
}
