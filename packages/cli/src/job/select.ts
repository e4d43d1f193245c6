import type { Job } from "@tessera/wire";
import { notFoundFailure, usageFailure } from "../failure.ts";
import type { Api } from "../http.ts";
import type { Session } from "../session.ts";
import { findJob } from "./find.ts";

/** Which live jobs a command acts on, beside those named one by one. */
export interface Selection {
  readonly all?: boolean;
  readonly state?: string;
  readonly user?: string;
}

const pageMax = 1_000;

/** A word with `*` or `?` means every live job of that name; a name alone means one job. */
export function isGlob(word: string): boolean {
  return /[*?]/.test(word);
}

/** The jobs that the words and the flags mean: one for each name, and the caller's own for patterns and --all. */
export async function selectJobs(session: Session, words: readonly string[], flags: Selection): Promise<Job[]> {
  const globs = words.filter(isGlob);
  const names = words.filter((word) => !isGlob(word));
  const many = flags.all === true || globs.length > 0;
  if (words.length === 0 && flags.all !== true)
    throw usageFailure("which jobs?", "name jobs, give a pattern such as 'exp-*', or --all for all of yours");
  if (flags.all === true && words.length > 0)
    throw usageFailure("--all and names cannot be used together", "give one of them");
  if (!many && (flags.state !== undefined || flags.user !== undefined))
    throw usageFailure(
      "--state and --user choose among several jobs",
      "use them with --all or a pattern such as 'exp-*'",
    );
  const api = await session.api();
  const jobs: Job[] = [];
  for (const name of names) jobs.push(await findJob(api, name));
  if (many) jobs.push(...(await matching(session, api, flags.all === true ? ["*"] : globs, flags)));
  const chosen = [...new Map(jobs.map((job) => [job.id, job])).values()];
  if (chosen.length > 0) return chosen;
  const what = flags.all === true ? "you have no live job" : `no live job is called ${globs.join(" or ")}`;
  throw notFoundFailure(`${what}${flags.state === undefined ? "" : ` that is ${flags.state}`}`, "see: tess ps");
}

async function matching(session: Session, api: Api, globs: readonly string[], flags: Selection): Promise<Job[]> {
  const patterns = globs.map(patternOf);
  const user = flags.user ?? (await api.call("whoAmI")).user;
  const project = session.options.project;
  const found: Job[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.call("listJobs", {
      query: {
        limit: pageMax,
        user,
        state: (flags.state ?? "live") as "live",
        ...(project !== undefined && { project }),
        ...(cursor !== undefined && { cursor }),
      },
    });
    found.push(...page.items.filter(({ name }) => patterns.some((pattern) => pattern.test(name))));
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

function patternOf(glob: string): RegExp {
  const text = glob
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${text}$`);
}
