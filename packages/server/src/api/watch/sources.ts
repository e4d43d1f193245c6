import { isRefusal } from "@tessera/core";
import type { RouteId, RouteOf } from "@tessera/wire";
import type { UsagePlace } from "../../flow/meter/usage-events.ts";
import { fleetMap } from "../../render/fleet-map.ts";
import { type Denial, isDenied, notFound } from "../answer/problem.ts";
import type { Api, Call } from "../context.ts";
import { roleListing, tokenListing, userListing } from "../handle/access.ts";
import { accountListing } from "../handle/accounts.ts";
import { auditSearch } from "../handle/audit-search.ts";
import { engineListing } from "../handle/engines.ts";
import { gpuListing, nodeListing } from "../handle/fleet.ts";
import { poolListing } from "../handle/pools.ts";
import { feedFilter } from "../list/events.ts";
import { openCursor, usualLimit, wholeOf } from "../request/page.ts";
import { DiffSource } from "./diff.ts";
import { JobSource } from "./jobs.ts";
import { AuditSource, FeedSource, UsageSource } from "./records.ts";
import type { Source } from "./source.ts";

type WatchedId = { [Id in RouteId]: RouteOf<Id> extends { watch: true } ? Id : never }[RouteId];
type DiffId = Exclude<WatchedId, "listJobs" | "listEvents" | "listAudit" | "listUsageEvents">;

/** By what an item of each list is known; what a `delete` names. */
const keys: { readonly [Id in DiffId]: string } = {
  listAccounts: "id",
  readFleet: "name",
  listNodes: "name",
  listGpus: "uuid",
  listEngines: "name",
  listPools: "name",
  listUsers: "id",
  listRoles: "id",
  listTokens: "id",
};

/** The source behind a watched route, for this caller and query. */
export async function sourceOf(api: Api, id: RouteId, call: Call<RouteId>): Promise<Source | Denial> {
  // The fleet's map is of use only whole.
  const most = id === "readFleet" ? Number.POSITIVE_INFINITY : usualLimit;
  const limit = (call.query as { limit?: number }).limit ?? most;
  switch (id as WatchedId) {
    case "listJobs":
      return new JobSource(api, callOf<"listJobs">(call));
    case "listEvents": {
      const wanted = await feedFilter(api, callOf<"listEvents">(call));
      return wanted === undefined ? notFound("job") : new FeedSource(api, wanted, limit);
    }
    case "listUsageEvents": {
      const { target, query } = callOf<"listUsageEvents">(call);
      const opened = openCursor(api.seal, "usage", query.cursor);
      if (opened !== undefined && "refused" in opened) return opened;
      return new UsageSource(api, target, opened?.at as UsagePlace | undefined);
    }
    case "listAudit": {
      const { target, query } = callOf<"listAudit">(call);
      const search = await auditSearch(api, target, query, false);
      return isRefusal(search) ? search : new AuditSource(api, search, limit);
    }
    default:
      return diffOf(api, id as DiffId, call, limit);
  }
}

/** The route was matched before, so the call is one of that route. */
function callOf<Id extends RouteId>(call: Call<RouteId>): Call<Id> {
  return call as unknown as Call<Id>;
}

/** The whole list as the route shows it, one thing after the other. */
const listings: { readonly [Id in DiffId]: (api: Api, call: Call<Id>) => Iterable<object> | Denial } = {
  listAccounts: (api, call) => wholeOf(accountListing(api, call)),
  readFleet: (api, { principal }) => fleetMap(api.control.state, principal.user),
  listNodes: (api, call) => wholeOf(nodeListing(api, call)),
  listGpus: (api, call) => wholeOf(gpuListing(api, call)),
  listEngines: (api, call) => wholeOf(engineListing(api, call)),
  listPools: (api, call) => wholeOf(poolListing(api, call)),
  listUsers: (api, call) => wholeOf(userListing(api, call)),
  listRoles: (api, call) => wholeOf(roleListing(api, call)),
  listTokens: (api, call) => {
    const tokens = tokenListing(api, call);
    return isDenied(tokens) ? tokens : wholeOf(tokens);
  },
};

function diffOf(api: Api, id: DiffId, call: Call<RouteId>, limit: number): Source | Denial {
  const list = listings[id] as (api: Api, call: Call<RouteId>) => Iterable<object> | Denial;
  const first = list(api, call);
  if (isDenied(first)) return first;
  const all = () => {
    const items = list(api, call);
    return isDenied(items) ? [] : items;
  };
  const key = keys[id];
  return new DiffSource(all, (item) => (item as Record<string, string>)[key]!, limit);
}
