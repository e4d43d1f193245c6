import type { ContentStore } from "@tessera/content";
import {
  type Account,
  type Instant,
  isInside,
  type Job,
  type JobArray,
  type JobId,
  type ReadonlyState,
  rootAccount,
  type User,
  unmadeById,
} from "@tessera/core";
import { nearestName } from "@tessera/wire";
import { may, rootsFor } from "../../access/policy.ts";
import type { EndedJobRow } from "../../store/port.ts";
import type { ControlPlane } from "../control.ts";
import type { LiveNames } from "./live-names.ts";

/** A job that was found and may be seen: live, or as it ended. */
export type FoundJob =
  | { readonly live: Job | JobArray; readonly account: Account; readonly own: boolean }
  | { readonly ended: EndedJobRow; readonly account: Account; readonly own: boolean };

/** What looking for a job takes. */
export interface Finder {
  readonly control: ControlPlane;
  readonly liveNames: LiveNames;
  readonly content?: ContentStore;
}

const idPattern = /^job_[a-z0-9]{16}(\.\d{1,7})?$/;

/**
 * The account that answers for what was recorded under a path: the one that had it then, or the nearest above that is
 * left. An account that was later given the path of a deleted one has no part in its past.
 */
export function standingAccount(state: ReadonlyState, path: string, then: Instant): Account {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) {
    const account = state.accountByPath.get(at);
    if (account !== undefined && account.createdAt <= then) return account;
  }
  return state.accounts[rootAccount]!;
}

/** Whether something that was recorded under a path belongs to one of these accounts, or lies below. */
export function belongsTo(state: ReadonlyState, roots: readonly Account[], path: string, then: Instant): boolean {
  const { no } = standingAccount(state, path, then);
  return roots.some((root) => isInside(state, no, root.no));
}

/** Several live jobs that a name may mean; only the caller can say which. */
export interface Several {
  readonly several: readonly (Job | JobArray)[];
}

/**
 * By id, or by name among the jobs that this user may see: the live one, else the last that ended; undefined for none.
 * Of several live ones the user's own count alone, if there are any. `NAME.3` or `NAME[3]` is an element of an array.
 */
export async function findJob(finder: Finder, user: User, idOrName: string): Promise<FoundJob | Several | undefined> {
  const asked = idOrName.replace(/\[(\d{1,7})\]$/, ".$1");
  if (idPattern.test(asked)) {
    const found = await findById(finder, user, asked);
    if (found !== undefined) return found;
  }
  const named = await findByName(finder, user, asked);
  if (named !== undefined) return named;
  const [, name, index] = /^(.+)\.(\d{1,7})$/.exec(asked) ?? [];
  const array = name === undefined ? undefined : await findByName(finder, user, name);
  if (array === undefined || "several" in array) return array;
  return findById(finder, user, `${"live" in array ? array.live.id : array.ended.id}.${index}`);
}

function liveAs({ control: { state } }: Finder, user: User, job: Job | JobArray): FoundJob | undefined {
  if (!may(state, user, "job.read", job.account)) return undefined;
  return { live: job, account: state.accounts[job.account]!, own: job.user === user.id };
}

function endedAs({ control: { state } }: Finder, user: User, row: EndedJobRow): FoundJob | undefined {
  const account = standingAccount(state, row.account, row.submittedAt);
  if (!may(state, user, "job.read", account.no)) return undefined;
  return { ended: row, account, own: row.user === user.id };
}

/** A live job or array, or an element that is not made yet. */
export function liveById(state: ReadonlyState, id: JobId): Job | JobArray | undefined {
  return state.jobById.get(id) ?? state.arrayById.get(id) ?? unmadeById(state, id);
}

async function findById(finder: Finder, user: User, id: string): Promise<FoundJob | undefined> {
  const { state, reader } = finder.control;
  const live = liveById(state, id as JobId);
  if (live !== undefined) return liveAs(finder, user, live);
  const row = await reader.job(id);
  return row === undefined ? undefined : endedAs(finder, user, row);
}

async function findByName(finder: Finder, user: User, name: string): Promise<FoundJob | Several | undefined> {
  const live = liveNamed(finder, user, name);
  if (live !== undefined) return live;
  const { state, reader } = finder.control;
  const accounts = rootsFor(state, user, "job.read").map((account) => account.path);
  if (accounts.length === 0 || name.length > 100) return undefined;
  const [newest] = await reader.jobs({ accounts: accounts.includes("") ? [] : accounts, name, limit: 1 });
  // Elements carry the name of their array, which stands for them; while it lives it was found above.
  const row = newest === undefined || newest.arrayId === null ? newest : await reader.job(newest.arrayId);
  return row === undefined ? undefined : endedAs(finder, user, row);
}

function liveNamed(finder: Finder, user: User, name: string): FoundJob | Several | undefined {
  const seen: (FoundJob & { readonly live: Job | JobArray })[] = [];
  for (const job of finder.liveNames.named(name)) {
    const found = liveAs(finder, user, job);
    if (found !== undefined && "live" in found) seen.push(found);
  }
  const own = seen.filter((found) => found.own);
  const meant = own.length > 0 ? own : seen;
  return meant.length > 1 ? { several: meant.map(({ live }) => live) } : meant[0];
}

/** How many names and rows are compared with a name that means nothing. */
const comparedMax = 500;

/** The name of a job that this user may see and probably meant. */
export async function similarName(finder: Finder, user: User, name: string): Promise<string | undefined> {
  const { state, reader } = finder.control;
  const accounts = rootsFor(state, user, "job.read").map((account) => account.path);
  if (accounts.length === 0) return undefined;
  const names = new Set<string>();
  for (const each of finder.liveNames.names()) {
    if (names.size >= comparedMax) break;
    for (const job of finder.liveNames.named(each)) {
      if (!may(state, user, "job.read", job.account)) continue;
      names.add(each);
      break;
    }
  }
  const rows = await reader.jobs({ accounts: accounts.includes("") ? [] : accounts, limit: comparedMax });
  for (const row of rows) if (endedAs(finder, user, row) !== undefined) names.add(row.name);
  return nearestName(name, [...names]);
}
