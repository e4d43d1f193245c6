import { type ActNeeds, acts, type RouteId, routes } from "@tessera/wire";
import { grantsOf } from "../../access/policy.ts";
import { rolesFor } from "../answer/problem.ts";

/**
 * Which roles allow each act that `may` can hold, in the words of a refusal. It is the same for everyone, so it tells
 * nothing of what or who is there.
 */
export function needsOfActs(): ActNeeds[] {
  const byAction = new Map<string, ActNeeds>();
  for (const id of new Set<RouteId>(Object.values(acts).flat())) {
    const { action } = routes[id];
    const known = byAction.get(action);
    if (known !== undefined) known.acts.push(id);
    else byAction.set(action, { acts: [id], ...wordsFor(action) });
  }
  return [...byAction.values()];
}

/** Roles that allow an act only on the caller's own things are left out: they would not help with the things of others. */
function wordsFor(action: (typeof routes)[RouteId]["action"]) {
  const { roles, ask } = rolesFor(action);
  return { roles: roles.filter((role) => grantsOf[role][action] === "all"), ask: [...ask] };
}
