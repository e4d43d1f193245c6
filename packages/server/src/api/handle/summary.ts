import type { UserId } from "@tessera/core";
import { renderSummary } from "../../flow/count/summary.ts";
import { search } from "../../flow/find/search.ts";
import type { Handler } from "../context.ts";

const hitsUsual = 20;

type SummaryHandlers = { readSummary: Handler<"readSummary">; search: Handler<"search"> };

export const summaryHandlers: SummaryHandlers = {
  async readSummary({ control, people, tallies }, { target, query }) {
    const user = query.user === undefined ? undefined : (people.idOf(query.user) ?? (query.user as UserId));
    return renderSummary(control.state, await tallies.newest(), { roots: target, user });
  },

  async search(api, { principal, query }) {
    return { items: await search(api, principal.user, query.q, query.limit ?? hitsUsual) };
  },
};
