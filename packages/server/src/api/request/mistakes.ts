import { type Account, mistakesOf, type Refusal } from "@tessera/core";
import { JobSpecBody, type Route } from "@tessera/wire";
import { withOtherMistakes } from "../../flow/submit/gather.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { type Asked, authorise } from "../guard/authorise.ts";
import { exampleOf } from "./wording.ts";

/**
 * A job that is refused for its shape or its project, with every other mistake in it. What lies at an account is told
 * only where the caller may submit there.
 */
export async function withAllMistakes(api: Api, asked: Asked, refused: Denial): Promise<Denial> {
  const { body, principal } = asked;
  const otherwiseFine = refused.misshapen === undefined && refused.field === "project";
  // What may have another shape than its type says must not be read.
  if (asked.route.body !== JobSpecBody || (refused.misshapen !== "all" && !otherwiseFine)) return refused;
  if (typeof body !== "object" || body === null || Array.isArray(body)) return refused;
  const known = mistakesOf(refused as Refusal);
  const projectIsWrong = known.some(({ field }) => field === "project");
  const target = projectIsWrong ? undefined : await authorise(api, asked);
  const mistakes = isDenied(target) ? { ...refused, also: [...known.slice(1), target as Refusal] } : refused;
  const account = isDenied(target) ? undefined : (target as Account | undefined);
  return withOtherMistakes(api, principal.user, account, body, mistakes as Refusal);
}

/** Shows for each mistake how the field could be written. */
export function withExamples(denial: Denial, { body }: Route): Denial {
  if (body === undefined) return denial;
  const shown = (each: Denial): Denial => {
    const example = each.example ?? exampleOf(body, each.field);
    return example === undefined ? each : { ...each, example };
  };
  return { ...shown(denial), ...(denial.also !== undefined && { also: denial.also.map(shown) }) };
}
