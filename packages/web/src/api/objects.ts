import type { AnswerOf, QueryOf } from "@tessera/wire";
import { addressOf, Refused, Unreachable } from "./call.ts";
import { problemOf } from "./problem.ts";
import { withProof } from "./proof.ts";

export interface Limits {
  readonly signal?: AbortSignal;
  /** No more objects than these are read. */
  readonly max?: number;
}

/** Reads an answer that is one JSON object a line. */
export async function readObjects<Id extends "readLogs" | "listFiles">(
  id: Id,
  at: Readonly<Record<string, string>>,
  query: QueryOf<Id>,
  { signal, max = Number.POSITIVE_INFINITY }: Limits = {},
): Promise<AnswerOf<Id>[]> {
  const enough = new AbortController();
  const response = await fetch(addressOf(id, at, query as object), {
    headers: withProof(),
    signal: signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]),
  }).catch((cause) => {
    throw (cause as Error).name === "AbortError" ? cause : new Unreachable("The server does not answer.", { cause });
  });
  if (!response.ok) throw new Refused(await problemOf(response));
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const objects: AnswerOf<Id>[] = [];
  for (let rest = ""; objects.length < max; ) {
    const { value, done } = await reader.read();
    if (done) return objects;
    const lines = (rest + value).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line !== "") objects.push(JSON.parse(line) as AnswerOf<Id>);
  }
  enough.abort();
  return objects.slice(0, max);
}
