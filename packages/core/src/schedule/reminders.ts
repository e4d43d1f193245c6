import type { AccountNo } from "../model/ids.ts";
import { must } from "../model/must.ts";
import type { Instant } from "../model/units.ts";
import { accountOf, pathUp, queueOrderOf } from "../quota/accounts.ts";
import type { Timers } from "../state/indexes/timers.ts";
import type { State } from "../state/state.ts";

/** Has the waiting groups of an account looked at again when time alone may let one of them start. */
export function remindOf(state: State, timers: Timers, account: AccountNo): void {
  remindOfQuantum(state, timers, account);
  for (const { no, terms } of pathUp(state, account)) {
    const window = terms.limits.gpuTime;
    // A window of GPU time ends, and what was used of the limit is forgotten.
    if (window !== undefined)
      timers.addOnce({ at: nextMultiple(state.clock, window.everyMs), kind: "limit", subject: no });
  }
}

/** Where the order of an account may evict, time alone may put a running job behind a waiting one [O3]. */
function remindOfQuantum(state: State, timers: Timers, account: AccountNo): void {
  if (queueOrderOf(state, account) !== "index") return;
  const quantum = must(accountOf(state, account).terms.quantumMs, "an order by index has a quantum");
  timers.addOnce({ at: nextMultiple(state.clock, quantum), kind: "quantum", subject: account });
}

function nextMultiple(now: Instant, everyMs: number): Instant {
  return now - (now % everyMs) + everyMs;
}
