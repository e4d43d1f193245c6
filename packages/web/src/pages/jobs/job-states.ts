import type { QueryOf } from "@tessera/wire";

type StateAsked = NonNullable<QueryOf<"listJobs">["state"]>;
type State = "live" | "waiting" | "active" | "starting" | "running" | "stopping" | "ended" | "unsuccessful" | "all";
type Outcome = Exclude<StateAsked, State>;

/** The states that most people look for; the server has another word for some. */
const states = { all: "all", waiting: "waiting", running: "active", ended: "ended", failed: "unsuccessful" } as const;
export const stateNames = Object.keys(states) as (keyof typeof states)[];

/** How a job can end, each in its own words. */
export const outcomeWords: Readonly<Record<Outcome, string>> = {
  succeeded: "succeeded",
  failed: "failed by itself",
  "timed-out": "timed out",
  preempted: "preempted",
  "infra-failed": "platform failed",
  "dependency-failed": "dependency failed",
  "deadline-passed": "deadline passed",
  "over-budget": "over budget",
  cancelled: "cancelled",
};

/** What the address says of states and outcomes, as the server is asked; what it does not know is all. */
export function askedState(state: string, outcome: string): StateAsked {
  if (Object.hasOwn(outcomeWords, outcome)) return outcome as Outcome;
  return Object.hasOwn(states, state) ? states[state as keyof typeof states] : "all";
}
