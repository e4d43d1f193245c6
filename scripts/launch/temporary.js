import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for one test, removed at its end. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-launch-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
