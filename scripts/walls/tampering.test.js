import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../launch/root.js";
import { openServer } from "../places/server.js";
import { tessVerify } from "./tampering/verify.js";
import { proveTampering } from "./tampering.js";

test("[S12] tess-verify names every way to change the history of a server", { timeout: 120_000 }, async () => {
  const place = { name: "here", root: process.getuid() === 0, command: (words) => words };
  const { held, seen, results } = await proveTampering({ openServer, place, say: () => {} });
  assert.ok(held, seen);
  assert.ok(results.length > 14, `${results.length} attacks`);
});

test("[S12] tess-verify finds journals of every version sound", async () => {
  const folder = join(root, "packages/server/src/journal/golden");
  const journals = readdirSync(folder).filter((name) => name.endsWith(".golden.jsonl"));
  // In those that name keys, the first is not followed by a real one.
  for (const name of journals) {
    const { said } = await tessVerify("journal", join(folder, name), "--key", "second");
    assert.match(said, /^sound\n/, `${name}: ${said}`);
  }
  assert.ok(journals.length > 14);
});
