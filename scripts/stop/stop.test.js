import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { findPlaces } from "../places/places.js";
import { forms } from "./forms.js";
import { prove } from "./prove.js";

const path = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const skip =
  process.platform !== "linux"
    ? "needs Linux"
    : spawnSync("python3", ["--version"], { env: path }).status === 0
      ? false
      : "needs python3 in a folder of the usual PATH";

/** The whole of it is `npm run prove:stop`; this is one server with what failed first. */
test("a job that is cancelled or taken back has its whole grace, saves, and comes back where it was", {
  skip,
}, async (t) => {
  const { places } = findPlaces((text) => t.diagnostic(text));
  const { line, tree, loader } = forms;
  const { counts, failures } = await prove({
    places: places.slice(0, 1),
    ways: ["cancel", "reclaim"],
    forms: { line, tree, loader },
    say: (text) => t.diagnostic(text),
  });
  assert.deepEqual(failures, []);
  assert.deepEqual(counts, {
    jobs: 6,
    wholeGrace: { good: 6, of: 6 },
    saved: { good: 6, of: 6 },
    resumed: { good: 3, of: 3 },
  });
});
