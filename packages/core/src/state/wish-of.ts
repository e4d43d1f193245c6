import { shapeOf } from "../learn/arrivals.ts";
import type { JobSpec } from "../model/job.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import type { State } from "./state.ts";
import type { Wish } from "./indexes/wish.ts";
/** What a job asks for and, for each alternative on each model that would do, what it would hold. */
export function wishOf(state: State, spec: JobSpec): Wish {
  return upToDate(state, state.wishes.of(spec), spec);
}

/** The wish with what the models of the fleet make of it. */
export function upToDate(state: State, wish: Wish, spec: JobSpec): Wish {
  if (wish.kinds !== state.fleet.kinds) workOut(state, wish, spec);
  return wish;
}

export function workOut(state: State, wish: Wish, spec: JobSpec): void {
  wish.kinds = state.fleet.kinds;
  wish.options = spec.gpus.flatMap((_, choice) =>
    modelsFor(state, { spec }, choice).map((model) => ({
      choice,
      model,
      demand: demandOf(state, { spec }, choice, model),
      fitsEmptyAt: -1,
    })),
  );
  // An alternative on a model that the fleet has not got is none.
  wish.first = wish.options[0]?.demand ?? demandOf(state, { spec }, 0, -1);
  wish.arrival = shapeOf(spec, modelsFor(state, { spec }, 0));
}
