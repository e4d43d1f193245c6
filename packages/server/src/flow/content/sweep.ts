import type { ContentStore } from "@tessera/content";
import { day, type Instant, type ReadonlyState } from "@tessera/core";
import { liveTrees } from "./snapshot.ts";

/** How long a snapshot stays after its last job, so that the job can be run again; and what no job was submitted with. */
const keep = { treesMs: 30 * day, looseMs: day };

/** Removes content that nothing refers to: no live job, no job within retention, and no kept output. */
export async function sweepContent(
  content: ContentStore,
  state: ReadonlyState,
  outputsOf: (tenant: string) => Iterable<string>,
  now: Instant,
): Promise<void> {
  const live = liveTrees(state);
  for (const tenant of await content.tenants()) {
    const kept = content.of(tenant);
    const trees = live.get(tenant) ?? new Set<string>();
    for (const tree of trees) await kept.noteUse(tree);
    await kept.sweep([...trees, ...outputsOf(tenant)], keep, now);
  }
}
