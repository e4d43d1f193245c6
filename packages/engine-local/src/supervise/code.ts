import { ContentStore } from "@tessera/content";
import type { RunSheet } from "./sheet.ts";

/**
 * Lays the snapshot of the job into its work folder, before the folder is given to the job: nobody else can write there
 * while it is filled.
 */
export async function unpackCode(sheet: RunSheet, signal?: AbortSignal): Promise<void> {
  const { order, contentFolder, owner, workFolder } = sheet;
  if (order.code === undefined || !("tree" in order.code)) return;
  if (contentFolder === undefined)
    throw new Error("this engine keeps no content, so the job's folder cannot be unpacked");
  const options = { ...(owner === undefined ? {} : { owner }), ...(signal === undefined ? {} : { signal }) };
  await new ContentStore(contentFolder).of(order.tenant).unpack(order.code.tree, workFolder, options);
}
