/** The shapes on the network and the table of routes: all that a face or the server uses of them. */
export { type Action, actions } from "./actions.ts";
export { type ActOn, acts, type MayDo, type Thing } from "./acts.ts";
export { fieldElsewhere } from "./fields-elsewhere.ts";
export * from "./history/index.ts";
export { invoicePage } from "./invoice-page.ts";
export { nearestName } from "./nearest.ts";
export { numberWords } from "./numbers.ts";
export { headerShapes, parametersOf } from "./parameters.ts";
export { reasonSentence, waitingReasons } from "./reasons.ts";
export { statusOfRefusal } from "./refusals.ts";
export {
  type AnswerOf,
  type BodyOf,
  jobSorts,
  nodeSorts,
  type QueryOf,
  type Resource,
  type Route,
  type RouteId,
  type RouteOf,
  routes,
  userSorts,
} from "./routes.ts";
export {
  ActNeeds,
  RoleBindingShape,
  SessionShape,
  SignedIn,
  SignIn,
  TokenCreate,
  TokenCreated,
  TokenShape,
  UserCreate,
  UserShape,
  WhoAmI,
} from "./shapes/access.ts";
export { Account, AccountCreate, AccountEdit } from "./shapes/account.ts";
export { BusyReport, BusyRow, busyGroups } from "./shapes/busy.ts";
export {
  anyTextPattern,
  durationPattern,
  GpuAmount,
  gpuModelPattern,
  Mistake,
  type PageOf,
  Problem,
  pathPattern,
} from "./shapes/common.ts";
export { ContentAsk, ContentMissing, ContentPart, ContentTaken, uploadBytesMax } from "./shapes/content.ts";
export { EngineCapabilities, EngineCreate, EngineEdit, EngineShape } from "./shapes/engine.ts";
export { EnterBody, Entrance } from "./shapes/entrance.ts";
export { ClaimRuleShape, ExchangePreview, ExchangePut, ExchangeShape } from "./shapes/exchange.ts";
export { FactorShape, FactorShow, PasskeyMade, PasskeyShown } from "./shapes/factor.ts";
export {
  Alarm,
  FleetActivity,
  type FleetMetric,
  FleetNodeShape,
  fleetMetrics,
  GpuShape,
  loadNamedMax,
  NodeShape,
} from "./shapes/fleet.ts";
export { CheckShape, FindingShape, JobCheckShape, NodeHealthShape, RepairShape } from "./shapes/health.ts";
export { AnchorAdd, AnchorShape, ConsistencyShape, HeadShape } from "./shapes/history.ts";
export {
  Alternative,
  Attempt,
  Displacement,
  DryRun,
  Explanation,
  Job,
  JobApplied,
  JobCost,
  JobCreated,
  JobEdit,
  JobFile,
  JobOutlook,
  JobSpecBody,
  jobOutcomes,
  LogEntry,
  Member,
  Output,
  OutputList,
  Remedy,
  Start,
  WaitReason,
} from "./shapes/job.ts";
export type { DataKeyShape } from "./shapes/keys.ts";
export { Moment } from "./shapes/moment.ts";
export {
  BillingPreview,
  BillingPut,
  BillingShape,
  BudgetPreview,
  BudgetPut,
  BudgetShape,
  ClosePreview,
  ContractPut,
  CostReport,
  EntryPost,
  EntryShape,
  Estimate,
  ExtractShape,
  InvoiceShape,
  InvoiceSummary,
  LedgerPage,
  LineExplanation,
  LineShape,
  PriceBookShape,
  PricePreview,
  PricePut,
} from "./shapes/money.ts";
export { FleetPlanShape, PlanBlock, PlanClosed } from "./shapes/plan.ts";
export { PolicyPut, PolicyShape } from "./shapes/policy.ts";
export { labelKeyPattern, PoolCreate, PoolEdit, PoolPreview, PoolShape } from "./shapes/pool.ts";
export { type EffectJobs, PreviewShape, previewNamedMax } from "./shapes/preview.ts";
export { GroupRuleShape, ProviderPreview, ProviderPut, ProviderShape } from "./shapes/provider.ts";
export { SearchHit } from "./shapes/search.ts";
export {
  type GangLevel,
  isJournalMetric,
  type JournalMetric,
  journalMetrics,
  type MeasuredGroup,
  measuredGroups,
  type SeriesGroup,
  SeriesLine,
  type SeriesMetric,
  SeriesView,
  seriesGroups,
  seriesMetricNames,
  seriesMetrics,
  spendGroups,
} from "./shapes/series.ts";
export { SessionItem } from "./shapes/session.ts";
export { HeldPart, PartOffer, SharingShape } from "./shapes/sharing.ts";
export { StepUpShape } from "./shapes/step-up.ts";
export {
  SummaryShape,
  summaryAccountsMax,
  summaryBelowMax,
  summaryColumnsMax,
  WaitingSummary,
} from "./shapes/summary.ts";
export { TopRow, TopView, topGroups, topOrders } from "./shapes/top.ts";
export {
  AuditEntry,
  FeedEntry,
  type RefusalKept,
  refusalsKept,
  UsageEvent,
  UsageEventPage,
  UsageReport,
} from "./shapes/usage.ts";
export { Grant, VolumeShape } from "./shapes/volume.ts";
export { type WasteClassName, WasteReport, WasteRow, wasteWords } from "./shapes/waste.ts";
export { OutletShape, WhatIfAsk, WhatIfFigures, WhatIfReport, WhatIfShape } from "./shapes/what-if.ts";
export { type InvoiceVerdict, verifyInvoice } from "./verify.ts";
