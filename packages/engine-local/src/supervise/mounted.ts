import { randomBytes } from "node:crypto";
import { chmod, mkdir, rename, rm, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { ContentStore, type JobKeys } from "@tessera/content";
import { codeOf } from "../lease/durable.ts";
import type { RunSheet } from "./sheet.ts";

/**
 * Unpacks the outputs that a member mounts, unless another has done so. Whole from the first moment it can be seen:
 * members of a gang do this side by side. Its time says when it was last wanted.
 */
export async function unpackMounted(sheet: RunSheet, keys?: JobKeys, signal?: AbortSignal): Promise<void> {
  const { contentFolder, order, owner, mountedTrees } = sheet;
  for (const { tree, folder } of mountedTrees) {
    const now = new Date();
    if (await utimes(folder, now, now).then(() => true, unlessMissing)) continue;
    if (contentFolder === undefined) throw new Error("this engine keeps no content, so an output cannot be mounted");
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    const partial = `${folder}.${randomBytes(6).toString("hex")}.new`;
    try {
      await mkdir(partial, { mode: 0o700 });
      const options = { ...(owner === undefined ? {} : { owner }), ...(signal === undefined ? {} : { signal }) };
      const content = new ContentStore(contentFolder, 0, keys && (async () => keys.content));
      await content.of(order.tenant).unpack(tree, partial, options);
      await chmod(partial, 0o755);
      await rename(partial, folder).catch((error) => {
        if (codeOf(error) !== "ENOTEMPTY" && codeOf(error) !== "EEXIST") throw error; // another member was faster
      });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }
}

function unlessMissing(error: unknown): false {
  if (codeOf(error) === "ENOENT") return false;
  throw error;
}
