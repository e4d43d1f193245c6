import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { CommandMissing, spawnQuietly } from "./spawn.js";
import { temporaryFolder } from "./temporary.js";

/** Runs a program under spawnOnTerminal in a process of its own, as a launcher does. */
function launchUnderTest(t, program) {
  const folder = temporaryFolder(t);
  const spawnModule = JSON.stringify(new URL("spawn.js", import.meta.url).href);
  writeFileSync(join(folder, "program.mjs"), program);
  writeFileSync(
    join(folder, "launcher.mjs"),
    `import { spawnOnTerminal } from ${spawnModule};
     process.exitCode = await spawnOnTerminal(process.execPath, [${JSON.stringify(join(folder, "program.mjs"))}]);`,
  );
  return spawn(process.execPath, [join(folder, "launcher.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
}

describe("a program that the launcher runs", () => {
  it("gives the launcher its exit code", async (t) => {
    const [code] = await once(launchUnderTest(t, "process.exit(7)"), "exit");
    assert.equal(code, 7);
  });

  it("gets the signals that the launcher gets, and may answer them", async (t) => {
    for (const signal of ["SIGTERM", "SIGINT"]) {
      const launcher = launchUnderTest(
        t,
        `process.on("${signal}", () => process.exit(9)); setInterval(() => {}, 1000); console.log("ready");`,
      );
      await once(launcher.stdout, "data");
      launcher.kill(signal);
      assert.deepEqual(await once(launcher, "exit"), [9, null]);
    }
  });

  it("makes 128 and the number of the signal that ended it", async (t) => {
    const launcher = launchUnderTest(t, `setInterval(() => {}, 1000); console.log("ready");`);
    await once(launcher.stdout, "data");
    launcher.kill("SIGTERM");
    assert.deepEqual(await once(launcher, "exit"), [143, null]);
  });
});

describe("a tool that the launcher runs", () => {
  it("is heard in full, and shown by whoever asked for it", async () => {
    const code = "console.log('out'); console.error('err'); process.exitCode = 3;";
    const result = await spawnQuietly(process.execPath, ["-e", code]);
    assert.equal(result.code, 3);
    assert.match(result.output, /out/);
    assert.match(result.output, /err/);
  });

  it("is missed by name when it is not there", async () => {
    await assert.rejects(spawnQuietly("/no/such/tool", []), (error) => {
      assert.ok(error instanceof CommandMissing);
      assert.match(error.message, /\/no\/such\/tool could not be started \(ENOENT\)/);
      return true;
    });
  });
});
