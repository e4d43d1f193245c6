import { basename, dirname, join } from "node:path";
import { ContentStore, type JobKeys } from "@tessera/content";
import type { KeptOutput } from "@tessera/core";
import { collectOutputs } from "@tessera/engine/files";
import type { RunSheet } from "../supervise/sheet.ts";
import { withKeeper } from "./keeper.ts";

/**
 * Puts what a member left into the content of its tenant. All its processes must be gone. `readyAt` is when its work
 * folder was ready, by the clock of the file system.
 */
export async function keepLeft(sheet: RunSheet, readyAt: number, keys?: JobKeys): Promise<KeptOutput[]> {
  const { order, contentFolder, owner } = sheet;
  const { outputs, code } = order;
  if (outputs === undefined || contentFolder === undefined) return [];
  const content = new ContentStore(contentFolder, 0, keys && (async () => keys.content)).of(order.tenant);
  const tree =
    code !== undefined && "tree" in code ? await content.readTree(code.tree).catch(() => undefined) : undefined;
  return withKeeper(contentFolder, order.tenant, keys, (keeper) =>
    collectOutputs(
      {
        outputs,
        rank: order.rank,
        places: {
          work: placeOf(sheet.workFolder),
          out: placeOf(sheet.outFolder),
          checkpoint: placeOf(sheet.checkpointFolder),
        },
        ...(order.workdir !== undefined && { workdir: order.workdir }),
        ...(tree !== undefined && { code: tree }),
        ...(owner !== undefined && { owner }),
        readyAt,
      },
      keeper,
    ),
  );
}

/** A folder of a member as a path below one that is ours: what lies between may have been replaced by the tenant. */
function placeOf(folder: string): { readonly base: string; readonly path: string } {
  return { base: dirname(dirname(folder)), path: join(basename(dirname(folder)), basename(folder)) };
}
