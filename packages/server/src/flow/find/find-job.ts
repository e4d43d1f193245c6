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
} from "@tessera/core";
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

/** By id, or the newest of that name among those this user may see; undefined for none. */
export async function findJob(finder: Finder, user: User, idOrName: string): Promise<FoundJob | undefined> {
  if (idPattern.test(idOrName)) {
    const found = await findById(finder, user, idOrName);
    if (found !== undefined) return found;
  }
  return findByName(finder, user, idOrName);
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

async function findById(finder: Finder, user: User, id: string): Promise<FoundJob | undefined> {
  const { state, reader } = finder.control;
  const live = state.jobById.get(id as JobId) ?? state.arrayById.get(id as JobId);
  if (live !== undefined) return liveAs(finder, user, live);
  const row = await reader.job(id);
  return row === undefined ? undefined : endedAs(finder, user, row);
}

async function findByName(finder: Finder, user: User, name: string): Promise<FoundJob | undefined> {
  const { state, reader } = finder.control;
  let live: FoundJob | undefined;
  for (const job of finder.liveNames.named(name)) {
    live = liveAs(finder, user, job);
    if (live !== undefined) break;
  }
  const accounts = rootsFor(state, user, "job.read").map((account) => account.path);
  if (accounts.length === 0 || name.length > 100) return live;
  const everywhere = accounts.includes("");
  const [newest] = await reader.jobs({ accounts: everywhere ? [] : accounts, name, limit: 1 });
  // Elements carry the name of their array, which stands for them; while it lives it was found above.
  const row = newest === undefined || newest.arrayId === null ? newest : await reader.job(newest.arrayId);
  if (row === undefined) return live;
  if (live !== undefined && "live" in live && live.live.submittedAt >= row.submittedAt) return live;
  return endedAs(finder, user, row);
}
