#!/usr/bin/env node
// Types, structure, format and lint: what `npm test` checks besides running the tests.
import { runBiome } from "../scripts/launch/check.js";
import { orExplain, prepare } from "../scripts/launch/launch.js";
import { root } from "../scripts/launch/root.js";
import { reportStructure } from "../scripts/layers/repository.js";

await orExplain(async () => {
  const node = await prepare();
  const faults = reportStructure(root, (line) => process.stdout.write(`${line}\n`));
  process.exitCode = (await runBiome(root, node)) || (faults > 0 ? 1 : 0);
});
