import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { prepareDataFolder } from "./data-folder.ts";

describe("the data folder", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "tessera-data-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("is made with all folders above it, and left empty", () => {
    prepareDataFolder(join(dir, "a", "b"));
    assert.ok(existsSync(join(dir, "a", "b")));
    prepareDataFolder(join(dir, "a", "b"));
  });

  it("cannot be a file, or below one", () => {
    const file = join(dir, "file");
    writeFileSync(file, "x");
    assert.throws(() => prepareDataFolder(file), /file is a file, but the server needs a folder there.*--data/);
    assert.throws(() => prepareDataFolder(join(file, "sub")), /file is a file, but the server needs a folder/);
  });

  it("cannot be where nothing can be made", { skip: !existsSync("/proc") }, () => {
    assert.throws(() => prepareDataFolder("/proc/tessera"), /cannot make the folder \/proc\/tessera as user .*--data/);
  });

  it("is refused with the user and the owner when it cannot be written", () => {
    const folder = join(dir, "theirs");
    mkdirSync(folder);
    chmodSync(dir, 0o755);
    chmodSync(folder, 0o555);
    const asRoot = process.geteuid?.() === 0;
    if (asRoot) process.seteuid?.(65_534);
    try {
      assert.throws(
        () => prepareDataFolder(folder),
        /cannot write to the folder .*theirs as user .*: .* belongs to user \d+ and has mode 555\. .*chown.*--data/,
      );
    } finally {
      if (asRoot) process.seteuid?.(0);
    }
  });
});
