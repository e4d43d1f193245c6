import { ContentStore, type JobKeys } from "@tessera/content";
import type { RunSheet } from "./sheet.ts";

/**
 * Lays the snapshot of the job into its work folder, before the folder is given to the job: nobody else can write there
 * while it is filled.
 */
export async function unpackCode(sheet: RunSheet, keys?: JobKeys, signal?: AbortSignal): Promise<void> {
  const { order, contentFolder, owner, workFolder } = sheet;
  if (order.code === undefined || !("tree" in order.code)) return;
  if (contentFolder === undefined)
    throw new Error("this engine keeps no content, so the job's folder cannot be unpacked");
  const options = { ...(owner === undefined ? {} : { owner }), ...(signal === undefined ? {} : { signal }) };
  const content = new ContentStore(contentFolder, 0, keys && (async () => keys.content));
  await content.of(order.tenant).unpack(order.code.tree, workFolder, options);
}
