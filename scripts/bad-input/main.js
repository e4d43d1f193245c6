import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../launch/root.js";
import { pageOf } from "./page.js";

const folder = mkdtempSync(join(tmpdir(), "bad-input-"));
try {
  writeFileSync(join(root, "docs/bad-input.md"), await pageOf(folder));
  console.log("docs/bad-input.md is written");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
