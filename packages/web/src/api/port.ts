import type { Problem } from "@tessera/wire";
import type { State } from "./channel.ts";

/** What a window says to the worker that holds the stream of all windows. */
export type ToWorker =
  /** Said again now and then by a window that is looked at: one that was closed without a word is forgotten. */
  | { readonly say: "here"; readonly proof: Record<string, string>; readonly wanted: boolean }
  | { readonly say: "watch"; readonly topic: number; readonly address: string }
  | { readonly say: "leave"; readonly topic: number }
  | { readonly say: "bye" };

/** What the worker says to a window. */
export type ToWindow =
  | { readonly say: "state"; readonly state: State }
  | { readonly say: "heard"; readonly topic: number; readonly event: string; readonly data: string }
  | { readonly say: "refused"; readonly topic: number; readonly problem: Problem }
  /** The worker had forgotten the window, and with it all that it watched. */
  | { readonly say: "again" };

export const hereMs = 10_000;
export const goneMs = 60_000;
