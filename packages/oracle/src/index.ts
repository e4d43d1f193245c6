export { usageOf } from "./amount.ts";
export { isCounted, type Played, play } from "./counts.ts";
export type { Fault } from "./fault.ts";
export { judgeClaim, judgeGrowth, judgeHoldings, judgeRest, judgeStart, judgeVictims } from "./judge.ts";
export { judgeLeft } from "./leave.ts";
export { domainOf, faultOfSeats } from "./room.ts";
export type { Bounds } from "./search.ts";
export { startable } from "./take.ts";
export { isSettled } from "./whole-node.ts";
export {
  type Ask,
  type HeldSeats,
  type Holding,
  type Level,
  type Load,
  levels,
  noAccount,
  onceLeft,
  optionsOf,
  type PartMode,
  type Take,
  type Wish,
  type World,
} from "./world.ts";
