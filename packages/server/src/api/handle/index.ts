import type { RouteId } from "@tessera/wire";
import type { Handler } from "../context.ts";
import type { SessionId } from "../guard/session.ts";
import { accessHandlers } from "./access.ts";
import { accountHandlers } from "./accounts.ts";
import { activityHandlers } from "./activity.ts";
import { contentHandlers } from "./content.ts";
import { dataKeyHandlers } from "./data-keys.ts";
import { engineHandlers } from "./engines.ts";
import { exchangeHandlers } from "./exchanges.ts";
import { factorHandlers } from "./factors.ts";
import { fileHandlers } from "./files.ts";
import { fleetHandlers } from "./fleet.ts";
import { healthHandlers } from "./health.ts";
import { insideHandlers } from "./inside.ts";
import { jobHandlers } from "./jobs.ts";
import { loginHandlers } from "./logins.ts";
import { momentHandlers } from "./moment.ts";
import { moneyHandlers } from "./money.ts";
import { planHandlers } from "./plan.ts";
import { policyHandlers } from "./policy.ts";
import { poolHandlers } from "./pools.ts";
import { providerHandlers } from "./providers.ts";
import { recordHandlers } from "./records.ts";
import { seriesHandlers } from "./series.ts";
import { sessionHandlers } from "./sessions.ts";
import { stepUpHandlers } from "./step-ups.ts";
import { streamHandlers } from "./streams.ts";
import { summaryHandlers } from "./summary.ts";
import { trailHandlers } from "./trail.ts";
import { volumeHandlers } from "./volumes.ts";
import { wasteHandlers } from "./waste.ts";
import { whatIfHandlers } from "./what-if.ts";

/** Streams and cookies are answered by other means: see `logs.ts` and `session.ts`. */
type Answered = Exclude<RouteId, "readLogs" | "listFiles" | "readFile" | SessionId>;

/** One handler for each route of the table; a route without one does not compile. */
export const handlers: { readonly [Id in Answered]: Handler<Id> } = {
  ...accessHandlers,
  ...accountHandlers,
  ...activityHandlers,
  ...contentHandlers,
  ...engineHandlers,
  ...factorHandlers,
  ...providerHandlers,
  ...exchangeHandlers,
  ...loginHandlers,
  ...fileHandlers,
  ...fleetHandlers,
  ...healthHandlers,
  ...insideHandlers,
  ...jobHandlers,
  ...moneyHandlers,
  ...planHandlers,
  ...policyHandlers,
  ...poolHandlers,
  ...recordHandlers,
  ...seriesHandlers,
  ...streamHandlers,
  ...sessionHandlers,
  ...stepUpHandlers,
  ...summaryHandlers,
  ...trailHandlers,
  ...dataKeyHandlers,
  ...volumeHandlers,
  ...wasteHandlers,
  ...whatIfHandlers,
  ...momentHandlers,
};
