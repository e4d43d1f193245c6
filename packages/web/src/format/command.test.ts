import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { tess } from "./command.ts";

test("a command reaches the program word by word, as it was meant", () => {
  const words = ["pool", "create", "it's", "tier=gold", "=x", "a b=c d", "", "$HOME", "*", "rack=", "90 000"];
  const line = tess(words).replace(/^tess/, "printf '%s\\0'");
  const said = execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" });
  assert.deepEqual(said.split("\0").slice(0, -1), words);
  assert.equal(tess(["pool", "create", "gold", "--label", "tier=gold"]), "tess pool create gold --label tier=gold");
});
