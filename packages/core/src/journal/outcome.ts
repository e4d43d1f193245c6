import type { Event } from "./event.ts";
import type { Refusal } from "./refusal.ts";

/** The core's answer to one input: its events, or a refusal. `result` is the id of what was created. */
export type Decision =
  | { readonly events: readonly Event[]; readonly result?: string; readonly repeated?: boolean }
  | Refusal;
