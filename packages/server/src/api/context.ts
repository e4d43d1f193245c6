import type { ContentStore } from "@tessera/content";
import type { TelemetryReader, TelemetryStore } from "@tessera/telemetry";
import type { AnswerOf, BodyOf, QueryOf, RouteId, RouteOf } from "@tessera/wire";
import type { BrowserAsks } from "../access/browser-asks.ts";
import type { Factors } from "../access/factors.ts";
import type { Keys } from "../access/keys.ts";
import type { People } from "../access/people.ts";
import type { Principal } from "../access/principal.ts";
import type { RevokedTokens } from "../access/revoked-tokens.ts";
import type { Seal } from "../access/seal.ts";
import type { SessionNotes } from "../access/session-notes.ts";
import type { Sessions } from "../access/sessions.ts";
import type { SignInLinks } from "../access/sign-in-links.ts";
import type { Signer } from "../access/signature.ts";
import type { TokenUse } from "../access/token-use.ts";
import type { Vault } from "../access/vault.ts";
import type { Activity } from "../flow/activity/activity.ts";
import type { Reconciled } from "../flow/activity/reconcile.ts";
import type { Alarms } from "../flow/alarms.ts";
import type { Asker, ControlPlane } from "../flow/control.ts";
import type { Reasons } from "../flow/count/reasons.ts";
import type { Tallies } from "../flow/count/tallies.ts";
import type { Engines } from "../flow/engines/engines.ts";
import type { Exchanges } from "../flow/exchange/exchanges.ts";
import type { LiveNames } from "../flow/find/live-names.ts";
import type { NodeChecks } from "../flow/health/node-checks.ts";
import type { Notices } from "../flow/notice/notices.ts";
import type { Sso } from "../flow/sso/sso.ts";
import type { Collector } from "../flow/telemetry/collector.ts";
import type { Anchors } from "../flow/trail/anchors.ts";
import type { Heads } from "../flow/trail/heads.ts";
import type { IdleWatch } from "../flow/watch/idle-watch.ts";
import type { OutboxStatus } from "../notify/outbox.ts";
import type { JournalSeries } from "../work/series.ts";
import type { WhatIfRuns } from "../work/what-if-runs.ts";
import type { Denial } from "./answer/problem.ts";
import type { ApiWork } from "./away/tasks.ts";
import type { Feed } from "./feed.ts";
import type { FactorChanges } from "./guard/factor-changes.ts";
import type { FactorChecks } from "./guard/factor-checks.ts";
import type { Passwords } from "./guard/passwords.ts";
import type { SecondFactors } from "./guard/second-factors.ts";
import type { StepUps } from "./guard/step-ups.ts";
import type { Streams } from "./guard/streams.ts";
import type { Entrances } from "./inside/entrances.ts";
import type { Pages } from "./inside/pages.ts";
import type { Targets } from "./targets.ts";
import type { SharedStreams } from "./watch/shared.ts";

/** What a program says of itself that asks to be let in. */
export interface LoginAsk {
  readonly label: string;
}

/** What the API's parts share. */
export interface Api {
  readonly control: ControlPlane;
  readonly keys: Keys;
  readonly seal: Seal;
  readonly signature: Signer;
  readonly vault: Vault;
  readonly heads: Heads;
  readonly anchors: Anchors;
  readonly people: People;
  readonly sso: Sso;
  readonly exchanges: Exchanges;
  readonly revoked: RevokedTokens;
  readonly tokenUse: TokenUse;
  readonly sessions: Sessions;
  /** Where sessions were opened. */
  readonly sessionNotes: SessionNotes;
  readonly links: SignInLinks;
  readonly logins: BrowserAsks<LoginAsk>;
  readonly liveNames: LiveNames;
  readonly reasons: Reasons;
  readonly tallies: Tallies;
  readonly feed: Feed;
  readonly entrances: Entrances;
  readonly pages: Pages;
  /** Other threads, for what may take long; without them it is done here. */
  readonly work?: ApiWork;
  /** What the audit keeps beside commands: refusals, failed sign-ins, reads, exports. */
  readonly notices: Notices;
  /** What is wrong with this machine. */
  readonly alarms?: Alarms;
  /** Answers that last, counted and looked after. */
  readonly streams: Streams;
  /** Connections on which browsers watch many lists. */
  readonly shared: SharedStreams;
  readonly passwords: Passwords;
  readonly factors: Factors;
  readonly second: SecondFactors;
  readonly factorChecks: FactorChecks;
  readonly factorChanges: FactorChanges;
  readonly stepUps: StepUps;
  /** No volume may show it. */
  readonly dataFolder?: string;
  /** The engines that are driven here; absent where there is only a state. */
  readonly engines?: Engines;
  /** Checks of nodes; absent where there is only a state. */
  readonly nodeChecks?: NodeChecks;
  /** What GPUs did; absent where nothing is kept of it. On other threads it is behind by a minute. */
  readonly telemetry?: TelemetryReader & Partial<Pick<TelemetryStore, "status">>;
  /** What the journal says of the past; absent where nothing follows it. */
  readonly series?: JournalSeries;
  /** How engines answered when they were asked what their GPUs do. */
  readonly collector?: Pick<Collector, "counts">;
  /** What came of comparing leased with busy time in the last whole hour. */
  readonly reconciled?: () => Reconciled | undefined;
  /** Which running jobs were warned that they are idle. */
  readonly idleWatch?: Pick<IdleWatch, "warningOf">;
  /** What is held now, with what was measured of it. */
  readonly activity: Activity;
  /** Where the files that users send are kept; absent where the engine cannot use them. */
  readonly content?: ContentStore;
  /** Replays of the past, run beside the server; absent where there is no store to read beside it. */
  readonly whatIf?: WhatIfRuns;
  /** What other systems are told, and whether they take it. */
  readonly outletsNow?: () => readonly OutboxStatus[];
}

/** An authenticated request, before anything is known of what it wants. */
export interface Incoming {
  readonly principal: Principal;
  readonly requestId: string;
  readonly address: string;
  readonly host: string;
}

/** One request, checked and allowed: all that a handler sees. */
export interface Call<Id extends RouteId> {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
  /** What the route acts on, found and allowed. */
  readonly target: Targets[RouteOf<Id>["resource"]];
  readonly requestId: string;
  /** Where the request came from. */
  readonly address: string;
  /** Host and port that the caller talks to. */
  readonly host: string;
  readonly idempotency: Asker["idempotency"];
  readonly ifMatch: string | undefined;
  /** Only to be made: refused where there is one. */
  readonly ifNone: boolean;
}

type Maybe<Value> = Value | Promise<Value>;
export type Handler<Id extends RouteId> = (api: Api, call: Call<Id>) => Maybe<AnswerOf<Id> | Denial>;

/** Who asks the control plane, for the audit record. */
export function askerOf(
  call: Omit<Call<RouteId>, "params" | "query" | "body" | "target" | "ifMatch" | "ifNone" | "host">,
): Asker {
  const { principal, requestId, address, idempotency } = call;
  const actor = { user: principal.user.id, token: principal.token.id };
  return { actor, request: requestId, address, ...(idempotency !== undefined && { idempotency }) };
}
