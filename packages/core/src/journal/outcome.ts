import type { Event } from "./event.ts";
import type { Refusal } from "./refusal.ts";

/** The core's answer to one input: what it decided, or why it refuses. `result` is the id of what was made. */
export type Decision =
  | { readonly events: readonly Event[]; readonly result?: string; readonly repeated?: boolean }
  | Refusal;
