import Type, { type Static } from "typebox";
import { May } from "../acts.ts";
import { AccountPath, DateTime, gpuModelPattern, Line, Page, Timestamp, Zone } from "./common.ts";
import { NamedKeys } from "./history.ts";
import { EffectJobs } from "./preview.ts";

/** Millionths of a currency's unit, as text: they pass 2^53. */
const Micros = Type.String({
  pattern: "^-?[0-9]{1,30}$",
  maxLength: 31,
  description: "A whole number of millionths of the currency: 2500000 is 2.50",
});
const MicrosAbove0 = Type.String({
  pattern: "^[1-9][0-9]{0,29}$",
  maxLength: 30,
  title: "an amount above 0",
  description: "A whole number of millionths of the currency: 2500000 is 2.50",
});
const Currency = Type.String({
  pattern: "^[A-Z]{3}$",
  maxLength: 3,
  description: "A currency code of three capitals, such as EUR",
});
const PerMille = Type.Integer({ minimum: 0, maximum: 100_000, description: "1000 changes nothing" });
const Rate = Type.Integer({ minimum: 0, maximum: 1_000_000_000_000, description: "Micros for an hour" });
const Model = Type.String({ pattern: gpuModelPattern, maxLength: 63, description: "A GPU model, or * for any" });
const Multipliers = Type.Record(Type.String({ pattern: "^[A-Za-z0-9?][A-Za-z0-9._+-]{0,39}$" }), PerMille, {
  additionalProperties: false,
  maxProperties: 100,
});
const strict = { additionalProperties: false };

const GpuRate = Type.Object({ model: Model, reservedMicros: Rate, burstMicros: Rate }, strict);

const priceList = {
  id: Type.String({
    pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}$",
    maxLength: 63,
    description: "A name of letters, digits and . _ -",
  }),
  currency: Currency,
  gpus: Type.Array(GpuRate, { minItems: 1, maxItems: 200 }),
  isolation: Type.Optional(Multipliers),
  topology: Type.Optional(Multipliers),
  profile: Type.Optional(Multipliers),
  cpuMicrosPerCoreHour: Type.Optional(Rate),
  memoryMicrosPerGiBHour: Type.Optional(Rate),
  storageMicrosPerGiBHour: Type.Optional(Rate),
  unbilled: Type.Optional(
    Type.Array(Type.Enum(["starting", "running", "stopping", "scrub", "reshape", "stranded", "dedicated"]), {
      maxItems: 7,
      description: "States that cost nothing; starting, scrub and reshape when left out",
    }),
  ),
  lenderPerMille: Type.Optional(PerMille),
  lostWorkPerMille: Type.Optional(PerMille),
  idle: Type.Optional(
    Type.Object(
      {
        policy: Type.Enum(["absorb", "by-quota", "by-use"]),
        gpus: Type.Array(Type.Object({ model: Model, micros: Rate }, strict), { maxItems: 200 }),
      },
      strict,
    ),
  ),
  minimumMicros: Type.Optional(Rate),
  rounding: Type.Optional(Type.Enum(["half-up", "half-even", "down", "up"])),
  timesOfDay: Type.Optional(
    Type.Array(
      Type.Object(
        {
          tz: Zone,
          days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { maxItems: 7 }),
          from: Type.String({
            pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
            maxLength: 5,
            description: "A time of day, such as 22:00",
          }),
          to: Type.String({
            pattern: "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$",
            maxLength: 5,
            description: "A time of day, such as 06:00 or 24:00",
          }),
          perMille: PerMille,
        },
        strict,
      ),
      { maxItems: 50 },
    ),
  ),
};

/** A price list, and when it begins. Fields that are left out are as in `tess price show` of an empty book. */
export const PricePut = Type.Object(
  {
    ...priceList,
    from: DateTime,
    tz: Type.Optional(Zone),
  },
  strict,
);
export type PricePut = Static<typeof PricePut>;

export const ContractPut = Type.Object(
  {
    from: DateTime,
    to: DateTime,
    tz: Type.Optional(Zone),
    gpus: Type.Optional(Type.Array(GpuRate, { maxItems: 200 })),
    perMille: Type.Optional(PerMille),
  },
  strict,
);
export type ContractPut = Static<typeof ContractPut>;

export const PriceList = Type.Object({
  ...priceList,
  from: Timestamp,
  tz: Type.String({ description: "In which months begin and end" }),
});
export const ContractShape = Type.Object({
  tenant: Type.String(),
  from: Timestamp,
  to: Timestamp,
  gpus: Type.Array(GpuRate),
  perMille: PerMille,
  revision: Type.String({ description: "Of all contracts of the tenant. Opaque; send as If-Match" }),
});
/** All price lists, oldest first, and the contracts that the caller may see. */
export const PriceBookShape = Type.Object({
  versions: Type.Array(PriceList),
  contracts: Type.Array(ContractShape),
  revision: Type.String({ description: "Of the price lists. Opaque; send as If-Match" }),
  may: May("prices"),
});
export type PriceBookShape = Static<typeof PriceBookShape>;

/** What the last closed or running month would have come to under another list. */
export const PricePreview = Type.Object({
  period: Type.String(),
  currency: Currency,
  rows: Type.Array(Type.Object({ tenant: Type.String(), nowMicros: Micros, thenMicros: Micros })),
  nowMicros: Micros,
  thenMicros: Micros,
});
export type PricePreview = Static<typeof PricePreview>;

export const CostRow = Type.Object({
  key: Type.String({ description: "As asked with by=" }),
  name: Type.Optional(
    Type.String({ description: "With by=job: the name of the job, with the index of an element, where it is known" }),
  ),
  micros: Micros,
  /** With `compare`; not of days, of which only the sum is compared. */
  beforeMicros: Type.Optional(Micros),
  byKind: Type.Record(Type.String(), Micros),
  gpuHours: Type.String({ description: "Rounded, for people" }),
});
export const CostReport = Type.Object({
  from: Timestamp,
  to: Timestamp,
  by: Type.Enum(["account", "user", "job", "model", "class", "day"]),
  currency: Currency,
  rows: Type.Array(CostRow),
  /** What the rows beyond `limit` come to. */
  rest: Type.Optional(Type.Object({ rows: Type.Integer(), micros: Micros })),
  totalMicros: Micros,
  beforeMicros: Type.Optional(Micros),
  /** At the end of the running month, at the current rate. */
  forecastMicros: Type.Optional(Micros),
  /** Of reports up to now: the month that runs. */
  month: Type.Optional(
    Type.Object({
      period: Type.String({ description: "Such as 2026-11" }),
      from: Timestamp,
      spentMicros: Micros,
      /** With `compare`: the whole month before it. */
      before: Type.Optional(Type.Object({ period: Type.String(), micros: Micros })),
    }),
  ),
});
export type CostReport = Static<typeof CostReport>;

/** What a job would cost before it runs: by each alternative, for its time limit. */
export const Estimate = Type.Object({
  currency: Currency,
  perHourMicros: Micros,
  /** For its `max_time`; absent where it has none. */
  totalMicros: Type.Optional(Micros),
  class: Type.Enum(["guaranteed", "burst"]),
  model: Type.String(),
  gpus: Type.Number(),
  text: Type.String(),
});
export type Estimate = Static<typeof Estimate>;

export const BudgetPut = Type.Object(
  {
    limitMicros: MicrosAbove0,
    every: Type.Optional(Type.Enum(["month", "once"])),
    alertsPerMille: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 1000 }), { maxItems: 10 })),
    stop: Type.Optional(Type.Enum(["alert", "refuse-new", "stop-burst", "stop-all"])),
  },
  strict,
);
export type BudgetPut = Static<typeof BudgetPut>;
export const BudgetShape = Type.Object({
  account: Type.String(),
  currency: Currency,
  limitMicros: Micros,
  every: Type.Enum(["month", "once"]),
  alertsPerMille: Type.Array(Type.Integer()),
  stop: Type.Enum(["alert", "refuse-new", "stop-burst", "stop-all"]),
  from: Timestamp,
  to: Timestamp,
  /** Before credits for lending and shares of idle GPUs, as is all of a budget. */
  spentMicros: Micros,
  /** What was spent beyond the limit: what stopping jobs used until they had stopped. */
  overMicros: Type.Optional(Micros),
  forecastMicros: Micros,
  /** When it will be spent at the rate of now. */
  spentAt: Type.Optional(Timestamp),
  stopped: Type.Enum(["none", "alert", "refuse-new", "stop-burst", "stop-all"]),
  revision: Type.String({ description: "Opaque; send as If-Match" }),
  may: May("budget"),
});
export type BudgetShape = Static<typeof BudgetShape>;
export const BudgetPage = Page(BudgetShape);

/** Where a budget that is not set yet would stand, and what would follow at once. Nothing is changed. */
export const BudgetPreview = Type.Object({
  account: Type.String(),
  currency: Currency,
  from: Timestamp,
  to: Timestamp,
  spentMicros: Micros,
  forecastMicros: Micros,
  /** When it would be spent at the rate of now. */
  spentAt: Type.Optional(Timestamp),
  passedPerMille: Type.Integer({ description: "The largest alert that is passed already; 1000: it is spent; 0: none" }),
  stops: EffectJobs,
});
export type BudgetPreview = Static<typeof BudgetPreview>;

/** How a tenant is billed: `chargeback` owes what it is shown, `showback` is only shown it. */
export const BillingPut = Type.Object(
  {
    mode: Type.Enum(["chargeback", "showback"]),
    creditLimitMicros: Type.Optional(
      Type.Union([Micros, Type.Null()], {
        description: "What it may owe before burst work stops; 0 = only what was paid in advance; null = no limit",
      }),
    ),
  },
  strict,
);
export type BillingPut = Static<typeof BillingPut>;
export const BillingShape = Type.Object({
  tenant: Type.String(),
  currency: Currency,
  mode: Type.Enum(["chargeback", "showback"]),
  creditLimitMicros: Type.Optional(Micros),
  /** Invoiced and not paid, with what is set aside; below zero = paid in advance. */
  owedMicros: Micros,
  /** Set aside and neither posted nor voided. */
  heldMicros: Micros,
  /** Used since its last invoice, credits for lending not counted. */
  openMicros: Micros,
  /** Up to the credit limit. */
  leftMicros: Type.Optional(Micros),
  /** Its credit is used up: what no guarantee covers is stopped. */
  stopped: Type.Boolean(),
  revision: Type.String({ description: "Of how it is billed and its credit limit. Opaque; send as If-Match" }),
  may: May("billing"),
});
export type BillingShape = Static<typeof BillingShape>;
export const BillingPage = Page(BillingShape);

/** Where a tenant would stand with its credit if it were billed as asked, and what would follow at once. Nothing is changed. */
export const BillingPreview = Type.Object({
  tenant: Type.String(),
  currency: Currency,
  /** Invoiced and not paid, with what is set aside; below zero = paid in advance. */
  owedMicros: Micros,
  /** Used since its last invoice, as far as it would be owed; credits for lending not counted. */
  openMicros: Micros,
  /** Up to the credit limit; absent where there would be none. */
  leftMicros: Type.Optional(Micros),
  /** Its credit would be used up: what no guarantee covers would be stopped. */
  stopped: Type.Boolean(),
  stops: EffectJobs,
});
export type BillingPreview = Static<typeof BillingPreview>;

export const LineShape = Type.Object({
  line: Type.Integer({ minimum: 1 }),
  kind: Type.String(),
  account: Type.String(),
  model: Type.String(),
  profile: Type.String(),
  isolation: Type.String(),
  topology: Type.String(),
  version: Type.String({ description: "Price list" }),
  perMille: Type.Integer({ description: "Of the time of day" }),
  pool: Type.Optional(Type.String({ description: "The pool whose nodes were used" })),
  poolPerMille: Type.Optional(Type.Integer({ description: "Of the pool" })),
  quantity: Type.String({ description: "Unit-ms of GPUs, millicore-ms or MiB-ms" }),
  unit: Type.Enum(["gpu-hour", "core-hour", "gib-hour", "none"]),
  hours: Type.String({ description: "The quantity in its unit, rounded, for people" }),
  unitPriceMicros: Type.String({ description: "Exact: numerator/denominator" }),
  micros: Micros,
  entry: Type.Optional(Type.Integer({ description: "Ledger entry" })),
  corrects: Type.Optional(Type.String({ description: "INV-000041/7" })),
  correctsPeriod: Type.Optional(Type.String({ description: "The closed month that is corrected" })),
});
export type LineShape = Static<typeof LineShape>;

export const InvoiceSummary = Type.Object({
  number: Type.String({ description: "Empty for a draft" }),
  tenant: Type.String(),
  period: Type.String(),
  from: Timestamp,
  to: Timestamp,
  tz: Type.String(),
  currency: Currency,
  mode: Type.Enum(["chargeback", "showback"]),
  status: Type.Enum(["draft", "issued"]),
  issuedAt: Type.Optional(Timestamp),
  totalMicros: Micros,
});
export type InvoiceSummary = Static<typeof InvoiceSummary>;
export const InvoicePage = Page(InvoiceSummary);
export const InvoiceShape = Type.Object({
  ...InvoiceSummary.properties,
  lines: Type.Array(LineShape),
  chargesMicros: Micros,
  creditsMicros: Micros,
  roundingMicros: Micros,
  ratingVersion: Type.Integer(),
  extractRoot: Type.String(),
  /** The invoice as it is hashed and recomputed: canonical JSON. */
  text: Type.String(),
});
export type InvoiceShape = Static<typeof InvoiceShape>;

/** A line taken apart: hours, the stretches behind them, and the arithmetic in words. */
export const LineExplanation = Type.Object({
  invoice: Type.String(),
  currency: Currency,
  line: LineShape,
  arithmetic: Type.String(),
  hours: Type.Array(Type.Object({ from: Timestamp, to: Timestamp, quantity: Type.String(), micros: Micros })),
  stretches: Type.Array(
    Type.Object({
      job: Type.String(),
      lease: Type.String(),
      state: Type.String(),
      node: Type.String(),
      gpus: Type.Integer(),
      from: Timestamp,
      to: Timestamp,
    }),
  ),
});
export type LineExplanation = Static<typeof LineExplanation>;

/** What an invoice was made from, with the way to a published head: see `verifyInvoice`. */
export const ExtractShape = Type.Object({
  invoice: Type.String(),
  /** Canonical JSON, one metered thing or price each. */
  entries: Type.Array(Type.String()),
  leaves: Type.Array(Type.String({ description: "Hash of each entry, hexadecimal" })),
  /** The event that issued the invoice, and its way to the row and from there to the head. */
  proof: Type.Object({
    event: Type.String(),
    leafSalt: Type.String(),
    path: Type.Array(Type.Object({ side: Type.Enum(["left", "right"]), hash: Type.String() })),
    cover: Type.String(),
    previousHash: Type.String(),
    /** In extracts from before heads had a tree: of each later row up to the head, what its hash was made from. */
    chain: Type.Optional(Type.Array(Type.Object({ cover: Type.String(), root: Type.String() }))),
    row: Type.Optional(Type.Integer({ description: "Number of the row that holds the event" })),
    tree: Type.Optional(Type.Array(Type.String(), { description: "From the row to the tree of the head" })),
    /** Shows that the head continues an earlier one, which was asked for. */
    since: Type.Optional(Type.Object({ row: Type.Integer(), path: Type.Array(Type.String()) })),
  }),
  head: Type.String({ description: "The signed head of the journal; in older extracts its hash" }),
  keys: Type.Optional(NamedKeys),
  signature: Type.String({ description: "Ed25519 over everything above, base64" }),
  publicKey: Type.String({ description: "SPKI, base64" }),
});
export type ExtractShape = Static<typeof ExtractShape>;

export const EntryShape = Type.Object({
  no: Type.Integer(),
  kind: Type.Enum(["charge", "credit", "adjustment", "rounding", "payment", "hold", "post", "void"]),
  at: Timestamp,
  currency: Currency,
  legs: Type.Array(Type.Object({ account: Type.String(), micros: Micros })),
  invoice: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  of: Type.Optional(Type.Integer()),
  memo: Type.String(),
});
export type EntryShape = Static<typeof EntryShape>;
export const LedgerPage = Type.Object({
  items: Type.Array(EntryShape),
  next: Type.Optional(Type.String()),
  balances: Type.Record(Type.String(), Micros),
});
export type LedgerPage = Static<typeof LedgerPage>;

/** `payment` and `hold` move prepaid credit in and aside, `post` and `void` end a hold, `adjustment` puts something right. */
export const EntryPost = Type.Object(
  {
    account: AccountPath,
    kind: Type.Enum(["payment", "hold", "post", "void", "adjustment"]),
    micros: Micros,
    of: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, description: "The hold, or the entry that is put right" }),
    ),
    memo: Line(300),
  },
  strict,
);
export type EntryPost = Static<typeof EntryPost>;

export const PeriodClose = Type.Object(
  {
    period: Type.String({
      pattern: "^[0-9]{4}-(0[1-9]|1[0-2])$",
      maxLength: 7,
      description: "A month that is over, such as 2026-11",
    }),
  },
  strict,
);
/** The invoices that closing a month would write, and whether it can be closed now. */
export const ClosePreview = Type.Object({
  period: Type.String(),
  from: Timestamp,
  to: Timestamp,
  tz: Type.String(),
  over: Type.Boolean({ description: "The month is over: it can be closed" }),
  currency: Currency,
  /** Of tenants that have no invoice of this month yet. */
  rows: Type.Array(
    Type.Object({
      tenant: Type.String(),
      mode: Type.Enum(["chargeback", "showback"]),
      lines: Type.Integer(),
      corrections: Type.Integer({ description: "Lines that correct earlier months" }),
      totalMicros: Micros,
    }),
  ),
  issued: Type.Array(Type.String({ description: "Tenants that have their invoice of this month" })),
});
export type ClosePreview = Static<typeof ClosePreview>;
export const PeriodClosed = Type.Object({ period: Type.String(), invoices: Type.Array(InvoiceSummary) });
export type PeriodClosed = Static<typeof PeriodClosed>;
