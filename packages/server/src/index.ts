/** What simulations, soaks and benchmarks use of the server. */
export { nearestName } from "@tessera/wire";
export { storeOf } from "./config.ts";
export { budgetStandings } from "./flow/bill-budget.ts";
export { windowsBetween } from "./flow/bill-periods.ts";
export { RatedTime } from "./flow/bill-rated.ts";
export { BudgetWatch, budgetWatchMs } from "./flow/budget-watch.ts";
export type { Asker, CommitListener, Committed, Done } from "./flow/control.ts";
export { Driver } from "./flow/drive.ts";
export { JobBudgetWatch } from "./flow/job-budget-watch.ts";
export { costOfJob } from "./flow/job-cost.ts";
export { eventsIn, eventsOf, type Recovered, recover } from "./flow/recover.ts";
export { Underway } from "./flow/underway.ts";
export { requestOf, type WriteRequest, Writer, type Written } from "./flow/writer.ts";
export { writerLimits } from "./flow/writer-messages.ts";
export { linesOf } from "./journal/lines.ts";
export { emptyJournal } from "./journal/row.ts";
export * from "./store/index.ts";
