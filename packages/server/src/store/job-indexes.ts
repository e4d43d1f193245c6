/** Stands for the start of a job that never started: after every other. */
export const neverStarted = Number.MAX_SAFE_INTEGER;

/** Columns by which jobs that are no elements of an array are kept in order. */
const ordered = ["name", "account", "gpus", "priority", "outcome", "started_key", "ran_until", "waited_ms", "ran_ms"];

/** An index for each of them, ties by time and id. A released step of a schema has them: add others in one of their own. */
export function orderIndexes(table: string): string {
  return ordered
    .map(
      (column) =>
        `CREATE INDEX ended_job_order_${column} ON ${table} (${column}, submitted_at, id) WHERE array_id IS NULL;`,
    )
    .join("\n");
}
