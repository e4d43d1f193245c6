#!/usr/bin/env node
// Build, check and test. Folders, files and options of `node --test` can be given: npm test -- packages/core
import { removeOrphans } from "../scripts/launch/build.js";
import { runBiome } from "../scripts/launch/check.js";
import { Failure } from "../scripts/launch/failure.js";
import { orExplain, prepare } from "../scripts/launch/launch.js";
import { root } from "../scripts/launch/root.js";
import { spawnOnTerminal } from "../scripts/launch/spawn.js";
import { filesWithTests, selectTests } from "../scripts/launch/tests.js";
import { builtPackages } from "../scripts/launch/tree.js";

const options = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const named = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));

/** More files at once than cores: many tests wait for processes, timers and disks, which leaves two cores idle a quarter of the time. */
const filesAtOnce = 3;

/** A hanging test is named in the summary instead of holding up everything. */
const testMsMax = 300_000;

await orExplain(async () => {
  const node = await prepare();
  removeOrphans(root);
  const tests = selectTests(filesWithTests(root, builtPackages(root)), named);
  if (tests.length === 0) {
    throw new Failure(`no tests in ${named.join(", ")}`, { advice: "Name a folder or a test file below packages/." });
  }
  process.exitCode = await runBiome(root, node, named.length === 0 ? undefined : named);
  if (process.exitCode !== 0) return;
  process.exitCode = await spawnOnTerminal(
    node,
    [
      "--test",
      "--enable-source-maps",
      `--test-concurrency=${filesAtOnce}`,
      `--test-timeout=${testMsMax}`,
      "--test-reporter=spec",
      ...options,
      ...tests,
    ],
    { cwd: root, env: { ...process.env, TESSERA_ROOT: root } },
  );
});
