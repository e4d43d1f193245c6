import { arrivalShapeOf } from "../learn/arrivals.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { demandOf, modelsFor } from "../quota/demand.ts";
import type { Wish } from "./indexes/wish.ts";
import type { ReadonlyState } from "./readonly-state.ts";

/** The wish of a job, with the demand of each alternative on each model that would do. */
export function wishOf(state: ReadonlyState, { spec, alone }: Pick<Job, "spec" | "alone">): Wish {
  return upToDate(state, state.wishes.of(spec, alone), spec);
}

/** A wish with its options for the models that the fleet has now. */
export function upToDate(state: ReadonlyState, wish: Wish, spec: JobSpec): Wish {
  if (wish.kinds !== state.fleet.kinds) workOut(state, wish, spec);
  return wish;
}

function workOut(state: ReadonlyState, wish: Wish, spec: JobSpec): void {
  wish.kinds = state.fleet.kinds;
  wish.options = spec.gpus.flatMap((_, choice) =>
    modelsFor(state, { spec }, choice).map((model) => ({
      choice,
      model,
      demand: demandOf(state, { spec }, choice, model),
      fitsEmptyAt: -1,
      fitsEmptyAmong: undefined,
    })),
  );
  // An alternative on a model that the fleet does not have is no option.
  wish.first = wish.options[0]?.demand ?? demandOf(state, { spec }, 0, -1);
  wish.arrival = arrivalShapeOf(spec, modelsFor(state, { spec }, 0));
}
