import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { root } from "../launch/root.js";
import { strayFilesOf } from "./repository.js";
import { strayFiles } from "./tracked.js";

describe("tracked files", () => {
  it("all belong in this repository", (t) => {
    const stray = strayFilesOf(root);
    if (stray === undefined) return t.skip("git does not list the files of this folder");
    assert.deepEqual(stray, []);
  });

  it("are found where the root may not hold them", () => {
    assert.deepEqual(strayFiles(["README.md", "docs/cli.md", "packages/core/src/index.ts", ".ci/run"]), []);
    assert.deepEqual(strayFiles(["ab.new"]), ["ab.new is tracked, but the root may not hold ab.new"]);
    assert.match(strayFiles(["tools/a.js"]).join(), /the root may not hold tools$/);
  });

  for (const file of [
    "server.log",
    "CPU.1.cpuprofile",
    "a.heapsnapshot",
    "isolate-0x2ee51000-28196-v8.log",
    "core-0.1.0.tgz",
    "rows.jsonl.gz",
    "place.ts.orig",
    "place.ts.rej",
    "place.ts~",
    ".DS_Store",
  ]) {
    it(`are found where a program left them behind: ${file}`, () => {
      assert.match(strayFiles([`packages/core/src/${file}`]).join(), /left it behind$/);
    });
  }

  it("may speak of logs and archives in their names", () => {
    assert.deepEqual(strayFiles(["packages/cli/src/commands/logs.ts", "docs/zip.md", "packages/x/src/archive.ts"]), []);
  });
});
