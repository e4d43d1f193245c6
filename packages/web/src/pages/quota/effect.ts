import type { PreviewShape } from "@tessera/wire";
import type { Effect } from "../../design/effects.tsx";
import { effectJobs, effectNames } from "../../format/effect-jobs.ts";
import { spellNumber } from "../../format/numbers.ts";

type Amounts = Readonly<Record<string, number>>;

/** What is typed beside what is so far, model by model: a model that is left out is named. */
export function changesOf(what: string, before: Amounts | undefined, after: Amounts | undefined): Effect[] {
  const models = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const told = (amounts: Amounts | undefined, model: string) =>
    amounts === undefined ? "no limit" : spellNumber(amounts[model] ?? 0);
  return [...models].flatMap((model) => {
    const [was, is] = [told(before, model), told(after, model)];
    const name = model === "*" ? "any model" : model;
    return was === is ? [] : { text: `${what} of ${name}: ${was} → ${is}`, bad: false };
  });
}

/** What becomes of one job, and of several. */
const kinds = [
  ["losesClass", "becomes burst and can be reclaimed", "become burst and can be reclaimed", true],
  ["heldBack", "cannot start before others of the account end", "cannot start before others of the account end", true],
  ["pushedBack", "is evicted and waits again", "are evicted and wait again", true],
  ["gainsClass", "becomes guaranteed", "become guaranteed", false],
  ["starts", "starts", "start", false],
] as const;

/** What the scheduler made of the edit on a copy, model by model. */
export function effectsOf({ byModel, aboveMax = [] }: PreviewShape): Effect[] {
  const ofJobs = byModel.flatMap(({ model, ...of }) =>
    kinds.flatMap(([kind, one, many, bad]) => {
      const jobs = of[kind];
      if (jobs.jobs === 0) return [];
      return {
        text: `${effectJobs(jobs)}${modelText(model)} ${jobs.jobs === 1 ? one : many}${effectNames(jobs)}.`,
        bad,
      };
    }),
  );
  const effects = [...aboveMax.map((text) => ({ text: `${text}.`, bad: true })), ...ofJobs];
  return effects.length === 0 ? [{ text: "No job is affected now.", bad: false }] : effects;
}

function modelText(model: string): string {
  return model === "*" ? "" : ` (${model})`;
}
