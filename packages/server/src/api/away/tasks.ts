import type { Instant } from "@tessera/core";
import type { RouteId } from "@tessera/wire";
import type { Keys } from "../../access/keys.ts";
import type { Principal } from "../../access/principal.ts";
import type { Leased } from "../../flow/meter/leased.ts";
import type { StoreConfig } from "../../store/index.ts";
import type { Work } from "../../work/work.ts";
import type { Denial } from "../answer/problem.ts";
import type { Costs } from "../metrics/cost-metrics.ts";

/** A request that was checked, without what was found for it: the thread that answers it finds that in its own state. */
export interface AwayCall {
  readonly id: RouteId;
  readonly user: string;
  readonly token: Principal["token"];
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>> | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly requestId: string;
  readonly address: string;
  readonly idempotency: { readonly key: string; readonly bodyHash: string } | undefined;
  readonly ifMatch: string | undefined;
  readonly ifNone: boolean;
}

/** An answer as it is sent. */
export interface AwayAnswer {
  readonly json: Uint8Array;
  readonly revision?: string;
}

export type Parsed = { readonly value: unknown } | Denial;

/** Reading bodies needs little and must not wait for reports: it has a thread of its own. */
export type ReadingTasks = {
  readonly json: { readonly input: Uint8Array; readonly output: Parsed };
  readonly yaml: { readonly input: Uint8Array; readonly output: Parsed };
};

export type AnsweringTasks = {
  readonly answer: { readonly input: AwayCall; readonly output: AwayAnswer | Denial };
  /** Takes in what was committed, so that the next task finds a state that needs little more. */
  readonly keepUp: { readonly input: null; readonly output: null };
  /** What the running month has cost so far. */
  readonly costs: { readonly input: null; readonly output: Costs };
  /** What the books say was leased in a span, by job. */
  readonly leased: { readonly input: { readonly from: Instant; readonly to: Instant }; readonly output: Leased[] };
  /** A look at budgets and credit: when to look again. */
  readonly lookAtBudgets: { readonly input: null; readonly output: Instant };
  readonly lookAtJobBudgets: { readonly input: null; readonly output: Instant };
};

/** What the API has done on other threads. */
export interface ApiWork {
  readonly reading: Work<ReadingTasks>;
  readonly answering: Work<AnsweringTasks>;
}

/** What an answering thread is started with. */
export interface AnsweringConfig {
  readonly store: StoreConfig;
  readonly keys: Keys;
  readonly content: { readonly folder: string; readonly freeBytesMin: number };
  readonly dataFolder: string;
}
