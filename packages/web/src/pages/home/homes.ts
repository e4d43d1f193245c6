import type { WhoAmI } from "@tessera/wire";
import { isOwner } from "../../api/me.tsx";

export const homeNames = ["fleet", "teams", "work", "seen", "oversight", "spending", "nothing"] as const;
export type HomeName = (typeof homeNames)[number];

/** What decides which homes a person has. */
export type Holder = Pick<WhoAmI, "may" | "bindings">;

interface Home {
  readonly label: string;
  readonly isFor: (me: Holder) => boolean;
}

const has =
  (...some: string[]) =>
  ({ bindings }: Holder) =>
    bindings.some(({ role }) => some.includes(role));
const may =
  (...actions: string[]) =>
  (me: Holder) =>
    actions.every((action) => me.may.includes(action));

/** The homes, the richest first: a person begins with the first that is for them, and finds the others as tabs. */
export const homes: Readonly<Record<HomeName, Home>> = {
  fleet: { label: "Overview", isFor: isOwner },
  teams: { label: "Teams", isFor: has("platform-owner", "tenant-admin", "team-admin") },
  work: { label: "My work", isFor: may("job.submit") },
  seen: { label: "Work", isFor: (me) => has("viewer")(me) && !me.may.includes("job.submit") },
  oversight: { label: "Oversight", isFor: may("audit.read") },
  spending: { label: "Spending", isFor: may("invoice.read", "cost.read") },
  nothing: { label: "Welcome", isFor: () => false },
};

/** The homes of a person, the richest first. */
export function homesFor(me: Holder): HomeName[] {
  const fit = homeNames.filter((name) => homes[name].isFor(me));
  if (fit.length > 0) return fit;
  if (me.may.includes("job.read")) return ["seen"];
  return me.may.includes("usage.read") ? ["spending"] : ["nothing"];
}
