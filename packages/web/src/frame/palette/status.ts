import { wordsOf } from "../../api/call.ts";

interface Search {
  /** Lines that are shown. */
  readonly many: number;
  /** The answer is not there yet. */
  readonly isAsking: boolean;
  /** It is asked of a server that does not answer. */
  readonly isLost: boolean;
  /** Why the server refused the search. */
  readonly error: Error | null;
}

const keys = "↑ ↓ choose, Enter opens, Escape closes";

/** What the palette says below its lines: it lies over the banner of the page, so it tells of an outage itself. */
export function statusOf({ many, isAsking, isLost, error }: Search): string {
  const fault = isLost ? "The server does not answer. Retrying." : error === null ? "" : wordsOf(error);
  if (fault !== "") return many === 0 ? fault : `${fault} ${keys}`;
  if (many > 0) return keys;
  return isAsking ? "Looking …" : "Nothing found that you may see.";
}
