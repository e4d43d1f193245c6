export { overcommitted } from "./admit/account.ts";
export { dataAccess, dataMounted, type HeldVolume, volumeFor } from "./admit/data.ts";
export { admitJob } from "./admit/job.ts";
export { correctionsOf, type IssuedLine } from "./bill/correct.ts";
export { type Extract, extractFrom, extractLines, extractOf, recompute } from "./bill/extract.ts";
export { buildInvoice, invoiceText, readLine, spelled } from "./bill/invoice.ts";
export { jobCost } from "./bill/job-cost.ts";
export { latestOf } from "./bill/latest.ts";
export { entriesOf, faultOf } from "./bill/ledger.ts";
export { PeriodRating } from "./bill/period.ts";
export { RateBook } from "./bill/rate-book.ts";
export { type Shared, Totals } from "./bill/totals.ts";
export type { Rule } from "./claim/rules/rule.ts";
export { decideBatch } from "./decide/batch.ts";
export { decide } from "./decide/decide.ts";
export { findNode, nodeName, recordGpu, recordName } from "./fleet/find-node.ts";
export type { ReadonlyFleet } from "./fleet/readonly-fleet.ts";
export { type Unheld, unheldAs } from "./fleet/unheld.ts";
export { type MigUse, uncut, withInstance } from "./gpu/mig.ts";
export { type MigProfile, migModelOf } from "./gpu/mig-models.ts";
export { partMemoryMiB } from "./gpu/part-memory.ts";
export { type SmallerShape, smallerShape } from "./gpu/smaller-shape.ts";
export { findingName, meaningOf } from "./health/catalogue.ts";
export { type CatalogueEntry, xids } from "./health/xids.ts";
export { canonicalJson } from "./journal/canonical.ts";
export type { Actor, AuditNote, AuditOutcome, Command, CommandInput, SubmitJob } from "./journal/command.ts";
export type {
  Event,
  EventKind,
  JobClaimed,
  JobEnded,
  JobIdle,
  JobLabelled,
  JobPlaced,
  LeaseEnded,
  LeaseStopping,
} from "./journal/event.ts";
export type { Input } from "./journal/input.ts";
export type { IssueInvoice } from "./journal/money-command.ts";
export type { BudgetForeseen, BudgetReached, InvoiceIssued, SpelledEntry } from "./journal/money-event.ts";
export type { Decision } from "./journal/outcome.ts";
export {
  hintText,
  isRefusal,
  mistakesOf,
  type Refusal,
  type RefusalKind,
  refusalText,
  refuse,
  refuseAll,
} from "./journal/refusal.ts";
export type { Report, ReportWhat } from "./journal/report.ts";
export { EventSpelling } from "./journal/spell.ts";
export type { TrailCommand } from "./journal/trail-command.ts";
export type { KeyChange, PrivateNote } from "./journal/trail-event.ts";
export { type StoredEvent, upcast } from "./journal/upcast.ts";
export { pastUnits } from "./learn/history.ts";
export { FleetWorth, type Unplaced } from "./learn/worth/fleet-worth.ts";
export { WorthLearner } from "./learn/worth/learner.ts";
export type { ArrivalShape, NodeRoom } from "./learn/worth/shape.ts";
export { balanceOf, unitMsIn } from "./meter/balance.ts";
export { DeviceTimeline } from "./meter/device-timeline.ts";
export { Meter, type MeterRecord, meteredOf } from "./meter/meter.ts";
export { isStranded } from "./meter/strand-watch.ts";
export { openUsage, openUsageOf, type Stretch, stretchesUntil, usagesOf } from "./meter/stretch.ts";
export {
  type CapacityChange,
  type FloorChange,
  type LostWork,
  type Metered,
  tenantOfPath,
  type Usage,
} from "./meter/usage.ts";
export {
  type MeasuredTime,
  noWaste,
  type Waste,
  type WasteAmounts,
  type WasteCell,
  type WasteClass,
  type WasteDevice,
  type WasteUse,
  wasteClasses,
  wasteOf,
} from "./meter/waste.ts";
export { listValueOf, worthOf } from "./meter/waste-money.ts";
export {
  type FactorKind,
  factorKinds,
  type Role,
  type RoleBinding,
  roles,
  type SignInFacts,
  type Token,
  type TokenLimits,
  type User,
} from "./model/access.ts";
export {
  type Account,
  type AccountOrder,
  type AccountTerms,
  accountOrders,
  type GpuAmounts,
  type Limits,
  plainTerms,
  type Quota,
  type QuotaWindow,
  type Trust,
  trusts,
} from "./model/account.ts";
export type { Anchor } from "./model/anchor.ts";
export { durationText, durationUnitsMs } from "./model/duration.ts";
export {
  type Egress,
  type EgressOrder,
  egressKind,
  egressKinds,
  egressTargetsMax,
  narrowestEgress,
} from "./model/egress.ts";
export { type EngineKind, type EngineState, type EngineTerms, engineKinds } from "./model/engine.ts";
export {
  type ClaimRule,
  claimMatches,
  type Exchange,
  type ExchangeTerms,
  exchangeLifeBounds,
  wrongClaimValue,
} from "./model/exchange.ts";
export { isGlob, matchesGlob } from "./model/glob.ts";
export { modelMatches } from "./model/gpu-name.ts";
export {
  type CheckOutcome,
  type CheckRecord,
  type Evidence,
  type FindingRecord,
  type FindingSource,
  type HealthAction,
  type HealthFinding,
  healthActions,
  type NodeHealth,
  type Repair,
} from "./model/health.ts";
export { type IdleAction, type IdleRule, type IdleTerms, idleActions, idleWarningMs, shareText } from "./model/idle.ts";
export {
  type AccountId,
  type AccountNo,
  type GpuNo,
  idPrefix,
  type JobId,
  type JobNo,
  type LeaseId,
  leaseIdOf,
  type NodeNo,
  noAccount,
  type OperationId,
  parseLeaseId,
  rootAccount,
  type TokenId,
  type UserId,
} from "./model/ids.ts";
export { instantText } from "./model/instant.ts";
export type {
  After,
  ArrayAsk,
  AttemptRecord,
  Code,
  GpuAsk,
  Isolation,
  Job,
  JobArray,
  JobClass,
  JobOutcome,
  JobSpec,
  JobType,
  ModelAsk,
  Slo,
} from "./model/job.ts";
export { beginOf, elementAt, elementsOf } from "./model/job.ts";
export { killNow } from "./model/kill-now.ts";
export { hasLabels, type Labels } from "./model/labels.ts";
export { lackText } from "./model/lack-text.ts";
export type { Lease } from "./model/lease.ts";
export { memoryText } from "./model/memory.ts";
export type { FleetNode, NodeCondition, NodeFacts, NodeOffers } from "./model/node.ts";
export { nodeKey } from "./model/node-key.ts";
export { mostOf, type Numbers, numberBounds, numberNames } from "./model/numbers.ts";
export type { Lack } from "./model/offers.ts";
export { type KeptOutput, outputsUsual, outputUndeclared } from "./model/output.ts";
export { type PartMode, type PartSeat, type PoolMode, poolModes, type Sharing } from "./model/part.ts";
export {
  graceMaxOf,
  movesPerHourPlain,
  type Policy,
  plainPolicy,
  sessionBounds,
  usualContentLimits,
  usualHandover,
  usualLostWorkMsMax,
} from "./model/policy.ts";
export { type Pool, type PoolTerms, ratioMax } from "./model/pool.ts";
export {
  fromProvider,
  fromScim,
  type GroupRule,
  type Provider,
  type ProviderTerms,
  type ScimToken,
} from "./model/provider.ts";
export type { SizeClasses, SizeCounts } from "./model/size.ts";
export {
  byPath,
  faultOfLink,
  faultOfPath,
  faultOfTree,
  isDigest,
  isTreeFile,
  isTreeLink,
  parseTree,
  type Tree,
  type TreeEntry,
  type TreeFault,
  type TreeFile,
  type TreeFolder,
  type TreeLimits,
  type TreeLink,
  treeLimitsMax,
  treeSize,
  treeText,
} from "./model/tree.ts";
export { day, hour, type Instant, minute, second, unitsPerGpu } from "./model/units.ts";
export type { UsageState } from "./model/usage.ts";
export { type DataAccess, type DataGrant, plainPath, systemFolders, type Volume } from "./model/volume.ts";
export { decimalText, divideRounded, exponentOf, minorMicros, moneyText, shareOut } from "./money/amount.ts";
export type { Budget, BudgetStanding, BudgetStop } from "./money/budget.ts";
export type { Charge, ChargeKind, InvoiceLine, LineKey } from "./money/charge.ts";
export type { Invoice, Period, SpelledLine } from "./money/invoice.ts";
export {
  type Contract,
  currencyOf,
  type PriceBook,
  type PriceVersion,
  type PriceWindow,
  type TimeOfDay,
  versionAt,
} from "./money/price.ts";
export { burstPrice, costOf, perHour, reservedPrice, termsAt } from "./money/unit-price.ts";
export { type PossiblePart, possibleParts } from "./place/possible-parts.ts";
export { runMsOf } from "./plan/run-time.ts";
export { accountOf, isInside, pathUp, tenantOf } from "./quota/accounts.ts";
export { ceilingHit } from "./quota/ceiling.ts";
export { demandOf, modelsFor } from "./quota/demand.ts";
export { borrowedOf, coverFor } from "./quota/guarantee.ts";
export { nothingHeld } from "./quota/held.ts";
export { shareOf } from "./quota/share.ts";
export { idleRuleFor } from "./run/idle.ts";
export { comesBack, stopOrderOf } from "./run/stop.ts";
export { jobsStoppedBy } from "./run/stop-for-money.ts";
export { nextDueAt } from "./schedule/due.ts";
export { SchedulerMemory } from "./schedule/memory.ts";
export { apply, keysKeptMs } from "./state/apply/apply.ts";
export { attemptOf } from "./state/apply/jobs.ts";
export { passTime } from "./state/apply/pass-time.ts";
export { type BilledAs, serialsOf } from "./state/books.ts";
export { emptyState } from "./state/empty.ts";
export { type Holder, holderAt, holdersOf, isFormerBook, ownSince } from "./state/holders.ts";
export { jobOf } from "./state/live-jobs.ts";
export type { ReadonlyState } from "./state/readonly-state.ts";
export { notAccepted, openRepair } from "./state/repairs.ts";
export { readSnapshot, snapshotSchema, writeSnapshot } from "./state/snapshot/snapshot.ts";
export type { State } from "./state/state.ts";
export { privateId, type SigningKey, type Trail, type WitnessedHead } from "./state/trail.ts";
export { unmadeById, unmadeByNo, unmadeCount, unmadeElements } from "./state/unmade.ts";
export { wishOf } from "./state/wish-of.ts";
export { withoutAll } from "./submit/all-gpus.ts";
export { parseEgress } from "./submit/egress.ts";
export { parseIdle, type RawIdle } from "./submit/idle.ts";
export { Mistakes } from "./submit/mistakes.ts";
export { type MountSource, mountSource } from "./submit/mounts.ts";
export { checkLabels, nodesAsked } from "./submit/narrow.ts";
export { fieldsNotYet, parseJob, type RawJob, readJob, type Settled } from "./submit/parse.ts";
export { cpusToMilli, gpusToUnits, parseDuration, parseSize } from "./submit/quantities.ts";
export { parseSizes, sizedAmounts, withoutSizes } from "./submit/sizes.ts";
export { type RawKind, sizeJob } from "./submit/sizing/kind.ts";
export { gpuOffers } from "./submit/sizing/offers.ts";
export { outputFolders } from "./submit/storage.ts";
export { withUsualShare } from "./submit/usual-share.ts";
export { type AlikeReason, alikeKey, alikeReason, kindAmong } from "./why/alike.ts";
export { type Alternative, type AlternativeTerms, alternativesFor, type ChangedField } from "./why/alternatives.ts";
export { closedNodesFor } from "./why/closed-nodes.ts";
export { type FleetPlan, fleetPlan, type PlannedJob, type RunningUntil } from "./why/fleet-plan.ts";
export { jobsAheadOf } from "./why/jobs-ahead.ts";
export { type Displaced, type Outlook, type StartBand, startBand } from "./why/outlook.ts";
export {
  type EngineOut,
  type GpuCount,
  type NodesLeftOut,
  type Reason,
  type ReasonKind,
  type ReasonValues,
  reasonKinds,
  reasonUnits,
} from "./why/reason.ts";
export { ownReason, reasonFor } from "./why/reason-for.ts";
export { expected, type Rehearsal, rehearse } from "./why/rehearse.ts";
export { roomAt } from "./why/room-at.ts";
export { Rooms } from "./why/rooms.ts";
export { type FreeGpus, freeGpus, type UnfitShape, unfitShapes } from "./why/shapes.ts";
