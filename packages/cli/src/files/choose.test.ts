import assert from "node:assert/strict";
import test from "node:test";
import type { JobFile } from "@tessera/wire";
import { choose } from "./choose.ts";
import { leadsOut } from "./fetch.ts";
import { parsePlace } from "./place.ts";

const file = (path: string, output = "work"): JobFile => ({ output, rank: 0, path, mode: 0o644, bytes: 1 });
const files = ["a/1.pt", "a/b/2.pt", "a/b/x", "model.bin"].map((path) => file(path));
const placed = (path: string) => choose(files, path).chosen.map(({ to }) => to);

test("a path means a file, a folder or a pattern", () => {
  assert.deepEqual(placed("model.bin"), ["model.bin"]);
  assert.deepEqual(placed("a/b/x"), ["x"]);
  assert.deepEqual(placed("a"), ["a/1.pt", "a/b/2.pt", "a/b/x"]);
  assert.deepEqual(placed("a/b"), ["b/2.pt", "b/x"]);
  assert.deepEqual(placed("a/**/*.pt"), ["1.pt", "b/2.pt"]);
  assert.deepEqual(placed("*.bin"), ["model.bin"]);
  assert.deepEqual(placed(""), ["a/1.pt", "a/b/2.pt", "a/b/x", "model.bin"]);
  assert.deepEqual(placed("none"), []);
  const twice = choose([file("x", "work"), file("x", "out")], "x").chosen;
  assert.deepEqual(
    twice.map((each) => each.file.output),
    ["work"],
  );
});

test("a word names files of a job unless it looks like a path", () => {
  assert.deepEqual(parsePlace("train:model.bin"), { job: "train", path: "model.bin" });
  assert.deepEqual(parsePlace("train.3:./a/"), { job: "train.3", path: "a" });
  assert.deepEqual(parsePlace("train/out:"), { job: "train", output: "out", path: "" });
  assert.deepEqual(parsePlace("train:a:b"), { job: "train", path: "a:b" });
  for (const path of [".", "./a:b", "/tmp/a:b", "~/x:y", "file", "a/b/c:d"])
    assert.equal(parsePlace(path), undefined, path);
});

test("a link is followed in the mind, not on the disk", () => {
  assert.ok(!leadsOut("a/b", "c") && !leadsOut("a/b", "../c") && !leadsOut("a", "./b"));
  assert.ok(leadsOut("a", "../c") && leadsOut("a", "/etc") && leadsOut("a/b", "x/../../c"));
});
