import { Refused, wordsOf } from "./call.ts";

/** The words of a refusal that is about one of these fields, to be shown beside it; undefined for any other. */
export function refusedAt(error: unknown, ...fields: readonly string[]): string | undefined {
  if (!(error instanceof Refused)) return undefined;
  const at = error.problem.field ?? "";
  return fields.some((field) => at === field || at.startsWith(`${field}.`)) ? wordsOf(error) : undefined;
}
