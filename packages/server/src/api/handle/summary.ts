import type { JobId, ReadonlyState, UserId } from "@tessera/core";
import type { SearchHit } from "@tessera/wire";
import { failedBelow, summariesBelow } from "../../flow/count/below.ts";
import { renderSummary } from "../../flow/count/summary.ts";
import { search } from "../../flow/find/search.ts";
import type { RollUpQuery } from "../../flow/series/query.ts";
import { deny } from "../answer/problem.ts";
import type { Handler } from "../context.ts";
import { Acts } from "../guard/acts.ts";

const hitsUsual = 20;

type SummaryHandlers = { readSummary: Handler<"readSummary">; search: Handler<"search"> };

export const summaryHandlers: SummaryHandlers = {
  async readSummary({ control, people, tallies, series }, { target, query, principal }) {
    if (query.below === true && query.user !== undefined) {
      const hint = "leave out user, or below";
      return deny(
        "invalid",
        "cannot be used together with below: failures are counted for accounts",
        hint,
        "user",
        query.user,
      );
    }
    const user = query.user === undefined ? undefined : (people.idOf(query.user) ?? (query.user as UserId));
    const newest = await tallies.newest();
    const whole = renderSummary(control.state, newest, { roots: target, user });
    if (query.below !== true) return whole;
    const rollUps = series && { read: (ask: RollUpQuery) => series.read(ask, principal.user.id) };
    const failed = await failedBelow(rollUps, control.state, target, control.now());
    return { ...whole, ...summariesBelow(control.state, newest, target, failed) };
  },

  async search(api, { principal, query }) {
    const hits = await search(api, principal, { text: query.q, limit: query.limit ?? hitsUsual, kind: query.kind });
    const { state } = api.control;
    const acts = new Acts(state, principal);
    return { items: hits.map((hit) => ({ ...hit, ...mayOn(state, acts, hit) })) };
  },
};

/** What may be done with what was found; absent where nothing can be done with it from a list. */
function mayOn(state: ReadonlyState, acts: Acts, { kind, id }: SearchHit): Pick<SearchHit, "may"> {
  if (kind === "node") return { may: acts.onFleet("node") };
  if (kind === "job") {
    const job = state.jobById.get(id as JobId) ?? state.arrayById.get(id as JobId);
    return job === undefined ? {} : { may: acts.onJob(job.account, job.user) };
  }
  const user = kind === "user" ? state.users.get(id as UserId) : undefined;
  return user === undefined ? {} : { may: acts.onUser(user) };
}
