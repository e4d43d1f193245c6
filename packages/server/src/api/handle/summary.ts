import type { UserId } from "@tessera/core";
import { renderSummary } from "../../flow/count/summary.ts";
import type { Handler } from "../context.ts";

type SummaryHandlers = { readSummary: Handler<"readSummary"> };

export const summaryHandlers: SummaryHandlers = {
  async readSummary({ control, people, tallies }, { target, query }) {
    const user = query.user === undefined ? undefined : (people.idOf(query.user) ?? (query.user as UserId));
    return renderSummary(control.state, await tallies.newest(), { roots: target, user });
  },
};
