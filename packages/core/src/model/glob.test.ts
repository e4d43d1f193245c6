import assert from "node:assert/strict";
import { it } from "node:test";
import { isGlob, matchesGlob } from "./glob.ts";

it("matches names, folders and everything below a folder", () => {
  const matches: readonly [path: string, pattern: string][] = [
    ["model.bin", "model.bin"],
    ["model.bin", "*.bin"],
    ["model.bin", "./*.bin"],
    ["a/b/model.bin", "**/*.bin"],
    ["model.bin", "**/*.bin"],
    ["a/b/c", "a"],
    ["a/b/c", "a/"],
    ["a/b/c", "a/**"],
    ["a/b/c", "**"],
    ["a/b/c", "a/*"],
    ["step-7.pt", "step-[0-9].pt"],
    ["x.pt", "[!a-w].pt"],
    ["[x]", "\\[x\\]"],
    [".hidden", "*"],
    ["aXbXc", "a*b*c"],
  ];
  for (const [path, pattern] of matches) assert.ok(matchesGlob(path, pattern), `${path} and ${pattern}`);
  const others: readonly [path: string, pattern: string][] = [
    ["a/model.bin", "*.bin"],
    ["model.bin", "model"],
    ["a/b", "a/b/c"],
    ["ab", "a"],
    ["step-77.pt", "step-[0-9].pt"],
    ["a/b", "/a/b"],
    ["a", ""],
  ];
  for (const [path, pattern] of others) assert.ok(!matchesGlob(path, pattern), `${path} and ${pattern}`);
  assert.ok(isGlob("*.bin") && !isGlob("model.bin"));
});

it("is not kept busy by a pattern that was made to", () => {
  assert.ok(!matchesGlob("a".repeat(200), `${"*a".repeat(60)}b`));
  assert.ok(!matchesGlob(Array(200).fill("a").join("/"), `${"**/a/".repeat(60)}b`));
});
