import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { walk, ways } from "./ways.js";

function lacks() {
  try {
    execFileSync("/usr/bin/python3", ["--version"], { stdio: "ignore" });
    return false;
  } catch {
    return "there is no /usr/bin/python3 here";
  }
}

test("a script in one's own folder runs and its result comes back byte for byte", { skip: lacks() }, async () => {
  const { ran, same, said } = await walk(ways[0]);
  assert.equal(ran, 0, said);
  assert.ok(same, said);
});
