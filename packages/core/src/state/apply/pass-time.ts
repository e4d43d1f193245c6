import type { JobNo } from "../../model/ids.ts";
import type { Instant } from "../../model/units.ts";
import type { State } from "../state.ts";
import { queueOrPark } from "./queued.ts";

/**
 * What time alone does to a state that decides nothing, such as a replica: jobs whose time has come join the queue. Other
 * timers are due for a decision, which is made elsewhere; here they are dropped so that they do not pile up.
 */
export function passTime(state: State, now: Instant): void {
  if (now > state.clock) state.clock = now;
  for (const timer of state.timers.takeDue(state.clock)) {
    const job = timer.kind === "wake" ? state.jobs.get(timer.subject as JobNo) : undefined;
    if (job !== undefined) queueOrPark(state, job);
  }
}
