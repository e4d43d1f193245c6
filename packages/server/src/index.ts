/** What simulations, soaks and benchmarks use of the server. */
export { nearestName } from "@tessera/wire";
export { personRow } from "./access/people.ts";
export { priceVersionOf } from "./api/request/price-put.ts";
export { storePlaceOf } from "./config.ts";
export { budgetStandings } from "./flow/bill/budget.ts";
export { costOfJob } from "./flow/bill/job-cost.ts";
export { windowsBetween } from "./flow/bill/periods.ts";
export { RatedTime } from "./flow/bill/rated.ts";
export { Driver } from "./flow/bind/drive.ts";
export type { CommitListener, Committed } from "./flow/commits.ts";
export type { Asker, Done } from "./flow/control.ts";
export { runningFileIn } from "./flow/engines/simulated-kind.ts";
export { Findings } from "./flow/health/findings.ts";
export { openStretches } from "./flow/meter/usage.ts";
export { wasteReport } from "./flow/meter/waste.ts";
export { verify } from "./flow/project/verify.ts";
export { restoreBackup } from "./flow/restore/restore.ts";
export { Chunk as SeriesChunk } from "./flow/series/chunk.ts";
export { SeriesFile } from "./flow/series/file.ts";
export { type LevelNo, levelNos as seriesLevelNos, levels as seriesLevels } from "./flow/series/levels.ts";
export type { LineName } from "./flow/series/lines.ts";
export type { RollUpQuery } from "./flow/series/query.ts";
export { readRollUps } from "./flow/series/read.ts";
export { RollUps } from "./flow/series/roll-ups.ts";
export { Collector } from "./flow/telemetry/collector.ts";
export { telemetryFolderIn } from "./flow/telemetry/place.ts";
export { BudgetWatch, budgetWatchMs } from "./flow/watch/budget-watch.ts";
export { JobBudgetWatch } from "./flow/watch/job-budget-watch.ts";
export { eventsIn, eventsOf, type Recovered, recover, recoverChecked } from "./flow/write/recover.ts";
export { Underway } from "./flow/write/underway.ts";
export { requestOf, type WriteRequest, Writer, type Written } from "./flow/write/writer.ts";
export { writerLimits } from "./flow/write/writer-messages.ts";
export { linesOf } from "./journal/lines.ts";
export { emptyJournal } from "./journal/row.ts";
export { fieldOf } from "./render/outlook.ts";
export { keysFor } from "./start-keys.ts";
export {
  backup,
  MemoryPlace,
  openCompared,
  openFrozenReader,
  openMemoryStore,
  openReader,
  openStore,
  type Store,
  type StoreConfig,
  type StoreReader,
} from "./store/index.ts";
export type { PrivateWrite } from "./store/port.ts";
export { withStoreKeys } from "./store-keys.ts";
export { SeriesFollower } from "./work/series-follower.ts";
