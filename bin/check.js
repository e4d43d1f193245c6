#!/usr/bin/env node
// Types, format and lint: what `npm test` does before it runs the tests.
import { runBiome } from "../scripts/launch/check.js";
import { orExplain, prepare } from "../scripts/launch/launch.js";
import { root } from "../scripts/launch/root.js";

await orExplain(async () => {
  process.exitCode = await runBiome(root, await prepare());
});
