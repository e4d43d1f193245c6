import { refuse } from "@tessera/core";
import type { WhatIfFigures, WhatIfReport, WhatIfShape } from "@tessera/wire";
import { timestamp } from "../../render/quantities.ts";
import type { WhatIfRun } from "../../work/what-if-runs.ts";
import { notFound } from "../answer/problem.ts";
import type { Handler } from "../context.ts";

type Ids = "startWhatIf" | "getWhatIf" | "cancelWhatIf" | "listOutlets";

/** Replays of the past under a change, and what other systems are told. */
export const whatIfHandlers: { readonly [Id in Ids]: Handler<Id> } = {
  startWhatIf({ whatIf }, { body }) {
    if (whatIf === undefined)
      return refuse(
        "conflict",
        "from",
        body.from,
        "cannot be replayed here: nothing is beside this server",
        "use tess what-if",
      );
    const run = whatIf.start(body);
    if (run !== undefined) return shapeOf(run);
    const { id } = whatIf.current!;
    return refuse("conflict", "run", id, "runs already, and only one may", "wait for it, or cancel it");
  },

  getWhatIf({ whatIf }, { params }) {
    const run = whatIf?.get(params.run!);
    return run === undefined ? notFound("what-if") : shapeOf(run);
  },

  cancelWhatIf({ whatIf }, { params }) {
    const run = whatIf?.cancel(params.run!);
    return run === undefined ? notFound("what-if") : shapeOf(run);
  },

  listOutlets: ({ outletsNow }) => ({
    items: (outletsNow?.() ?? []).map(({ name, delivered, failed, isFailing }) => ({
      ...{ name, delivered, failed, failing: isFailing },
    })),
  }),
};

function shapeOf({ id, state, ask, startedAt, endedAt, step, done, failure, report }: WhatIfRun): WhatIfShape {
  return {
    ...{ id, state, ask: ask as WhatIfShape["ask"], startedAt: timestamp(startedAt) },
    ...(endedAt !== undefined && { endedAt: timestamp(endedAt) }),
    ...(step !== undefined && { step }),
    ...(done !== undefined && { done }),
    ...(failure !== undefined && { failure }),
    ...(report !== undefined && { report: reportOf(report as Told) }),
  };
}

/** As the program writes it: see `Report` of the package what-if. */
type Told = Omit<WhatIfReport, "from" | "to" | "differences" | "refused"> & {
  readonly from: number;
  readonly to: number;
  readonly replay: { readonly differences: number } | null;
  readonly refused: { readonly first: string[] };
  readonly recorded: WhatIfFigures;
};

function reportOf(told: Told): WhatIfReport {
  const { currency, fleet, accounts, recorded, endUnknown, jobs } = told;
  return {
    ...{ from: timestamp(told.from), to: timestamp(told.to), currency, fleet, accounts, recorded, endUnknown, jobs },
    differences: told.replay?.differences ?? 0,
    refused: told.refused.first,
  };
}
