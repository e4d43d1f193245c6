import type { Event } from "../../journal/event.ts";
import type { Instant } from "../../model/units.ts";
import type { State } from "../state.ts";
import { applyToAccounts } from "./accounts.ts";
import { applyToEngines } from "./engines.ts";
import { applyToHealth } from "./health.ts";
import { applyToJobs } from "./jobs.ts";
import { applyToLeases } from "./leases.ts";
import { marksUnder } from "./marks.ts";
import { applyToBooks } from "./money.ts";
import { applyToNodes } from "./nodes.ts";
import { applyToPeople } from "./people.ts";
import { applyToPools } from "./pools.ts";
import { nodesTouched, noteAllRemainders, noteRemainder } from "./remainder.ts";
import { applyToTrail } from "./trail.ts";

/** An idempotency key is remembered for this long; a later request with it counts as a new one. */
export const keysKeptMs = 24 * 3_600_000;

/** Writes one event into the state. Decides nothing: the same events give the same state under every version. */
export function apply(state: State, event: Event): void {
  if (state.confidential === 0) {
    write(state, event);
  } else {
    const touched = nodesTouched(state, event);
    write(state, event);
    for (const node of touched) noteRemainder(state, node, event.at);
  }
  if (event.kind === "account-edited") noteAllRemainders(state, event.at);
}

/** One case for each kind of event: a new kind does not compile until it has a place. */
function write(state: State, event: Event): void {
  state.version++;
  const { at } = event;
  if (at > state.lastAt) state.lastAt = at;
  if (at > state.clock) state.clock = at;
  switch (event.kind) {
    case "node-added":
    case "node-changed":
    case "maintenance-planned":
    case "node-removed":
      applyToNodes(state, event);
      return;
    case "finding-noted":
    case "checks-noted":
    case "repair-opened":
    case "repair-noted":
    case "repair-closed":
      applyToHealth(state, event);
      return;
    case "engine-changed":
    case "engine-reached":
      applyToEngines(state, event);
      return;
    case "pool-changed":
      applyToPools(state, event);
      return;
    case "account-created":
    case "account-edited":
    case "account-deleted":
    case "secret-changed":
    case "volume-changed":
      applyToAccounts(state, event);
      return;
    case "user-created":
    case "user-changed":
    case "provider-changed":
    case "scim-changed":
    case "exchange-changed":
    case "token-expiring":
    case "role-bound":
    case "role-unbound":
    case "token-created":
    case "token-revoked":
      applyToPeople(state, event);
      return;
    case "key-used":
      forgetOldKeys(state, at);
      state.keys.set(`${event.user}/${event.key}`, { bodyHash: event.bodyHash, result: event.result, at });
      return;
    case "policy-set":
      marksUnder(state, event.policy);
      state.policy = event.policy;
      state.waiting.listener.standingsChanged();
      state.waiting.roomChanged();
      return;
    case "audit-noted":
      return;
    case "epoch-began":
      state.epoch = event.epoch;
      return;
    case "turn-taken":
      state.waiting.round = { changedAt: event.again ? at : undefined, upTo: event.upTo, takenAt: at };
      return;
    case "price-added":
    case "prices-foreseen":
    case "own-budget-spent":
    case "contract-set":
    case "tenant-billed":
    case "budget-set":
    case "budget-dropped":
    case "budget-reached":
    case "budget-foreseen":
    case "credit-reached":
    case "invoice-issued":
    case "entry-posted":
      applyToBooks(state, event);
      return;
    case "signing-key-named":
    case "privates-noted":
    case "keys-noted":
    case "anchor-changed":
    case "head-witnessed":
      applyToTrail(state, event);
      return;
    case "lease-scrubbed":
    case "lease-reshaped":
    case "lease-prepared":
    case "lease-started":
    case "lease-stopping":
    case "lease-ended":
      applyToLeases(state, event);
      return;
    default:
      applyToJobs(state, event);
  }
}

/** Keys stand in order of first use, so the search ends at the first that is still young. */
function forgetOldKeys(state: State, now: Instant): void {
  for (const [key, used] of state.keys) {
    if (used.at > now - keysKeptMs) return;
    state.keys.delete(key);
  }
}
