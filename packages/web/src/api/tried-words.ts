import { Refused, wordsOf } from "./call.ts";

/** Why it is not known what a form would do: the server refuses it, or has not judged it, as in an outage. */
export function triedWords(error: unknown): string {
  const isJudged = error instanceof Refused && error.problem.status < 500 && error.problem.status !== 429;
  return `${isJudged ? "This is refused" : "What this would do is not known yet"}: ${wordsOf(error)}`;
}
