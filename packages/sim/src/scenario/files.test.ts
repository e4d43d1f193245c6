import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { isRefusal } from "@tessera/core";
import { isBadFile, parseScenario } from "./parse.ts";
import { runScenario } from "./run.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const own = join(root, "packages/sim/scenarios");
const shared = join(root, "../shared/scenarios");

describe("scenario files", () => {
  for (const name of filesIn(own)) {
    it(`${name} goes as it says`, async () => {
      const run = await runFile(join(own, name));
      assert.deepEqual(run.failures, []);
      assert.ok(run.ok && run.settled);
    });
  }

  const skip = existsSync(shared) ? false : "the examples are not beside this clone";
  it("every example beside this clone goes as it says", { skip }, async () => {
    const names = filesIn(shared);
    assert.ok(names.length > 0);
    for (const name of names) {
      const run = await runFile(join(shared, name));
      assert.ok(run.settled, name);
      assert.deepEqual(run.failures, [], name);
    }
  });

  it("goes the same way each time", async () => {
    for (const name of filesIn(own)) {
      assert.deepEqual(await runFile(join(own, name)), await runFile(join(own, name)), name);
    }
  });
});

function filesIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(".yaml"))
        .sort()
    : [];
}

async function runFile(file: string) {
  const parsed = parseScenario(readFileSync(file, "utf8"));
  assert.ok(!isBadFile(parsed), JSON.stringify(parsed));
  const run = await runScenario(parsed);
  assert.ok(!isRefusal(run), JSON.stringify(run));
  return run;
}
