import { columnsOf, type Found, jobColumns, jobRowOf } from "./columns.ts";
import type { JobWalk, WalkedJobs } from "./port.ts";
import type { Ask } from "./scan.ts";
import { type Dialect, JobWalkStatements } from "./where.ts";

/**
 * Walks through an index of ended jobs. Where not every row on the way is wanted the walk ends after a number of steps,
 * however few it found: it never reads the whole past for one page.
 */
export async function walkJobs(ask: Ask, walk: JobWalk, dialect: Dialect): Promise<WalkedJobs> {
  const statements = new JobWalkStatements(walk, dialect);
  if (statements.takesAll) {
    const rows = await ask(statements.rows(columns, undefined));
    return { rows: rows.map((row) => jobRowOf(row, dialect.sealing)), steps: rows.length };
  }
  const steps = Number((await ask(statements.length()))[0]!.many);
  const upTo = steps < walk.stepsMax ? undefined : placeOf((await ask(statements.end()))[0]!);
  const rows = (await ask(statements.rows(columns, upTo))).map((row) => jobRowOf(row, dialect.sealing));
  return { rows, steps, ...(upTo !== undefined && rows.length < walk.limit && { upTo }) };
}

const columns = [columnsOf("j", jobColumns)];

function placeOf({ key, submitted_at: submittedAt, id }: Found) {
  return { ...(key !== null && { key }), submittedAt, id };
}
