import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A folder of its own for a test; gone afterwards. */
export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tess-cli-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
