import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { RunSheet } from "./sheet.ts";

/** In the temporary folder: it belongs to one attempt of one member, and exists however the job is closed in. */
const name = ".tess-done";

/** The job creates this file to say that its work is complete, although it was asked to leave [L1]. */
export function donePath({ temporaryPath }: RunSheet): string {
  return join(temporaryPath, name);
}

/** Whether it did. A link is not followed: it could name any file of the machine. */
export function isDone({ temporaryFolder }: RunSheet): boolean {
  return lstatSync(join(temporaryFolder, name), { throwIfNoEntry: false })?.isFile() === true;
}
