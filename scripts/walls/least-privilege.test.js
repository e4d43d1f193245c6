import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import test from "node:test";
import { root } from "../launch/root.js";
import { proveLeastPrivilege } from "./least-privilege.js";

/** Another user runs programs of this clone. */
function isOpenToOthers(path) {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder))
    if ((statSync(folder).mode & 0o001) === 0) return false;
  return true;
}

const skip =
  process.platform !== "linux" || process.getuid() !== 0
    ? "needs root on Linux"
    : isOpenToOthers(root)
      ? false
      : "needs a clone that other users may enter";

test("a control plane without privileges reads neither keys nor secrets nor work folders", { skip }, async (t) => {
  const { held, ...report } = await proveLeastPrivilege({ say: (text) => t.diagnostic(text) });
  assert.equal(held, true, JSON.stringify(report));
});
