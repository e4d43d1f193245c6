import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { temporaryFolder } from "../testing/folder.ts";
import { scanFolder } from "./scan.ts";
import { checkSize } from "./size.ts";

function folderWith(t: TestContext, files: Record<string, string>): string {
  const folder = temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const pathsIn = (folder: string) =>
  scanFolder(folder, 1_000)
    .files.map(({ path }) => path)
    .sort();

test("histories, caches and environments are left out, whatever an environment is called", (t) => {
  const folder = folderWith(t, {
    "train.py": "",
    ".git/HEAD": "",
    "pkg/__pycache__/a.pyc": "",
    "pkg/a.py": "",
    "web/node_modules/x/index.js": "",
    "myenv/pyvenv.cfg": "",
    "myenv/bin/python": "",
    "conda/conda-meta/history": "",
    "data/owner.token": "secret",
  });
  assert.deepEqual(pathsIn(folder), ["pkg/a.py", "train.py"]);
});

test("nested .gitignore and .tessignore count, the nearest wins, and .tessignore wins over git", (t) => {
  const folder = folderWith(t, {
    ".gitignore": "*.log\n/data/\nbuild/\n",
    ".tessignore": "!keep.log\n!data/\nsecret.txt\n!node_modules/\n",
    "a.log": "",
    "keep.log": "",
    "data/x": "",
    "build/x": "",
    "sub/.gitignore": "!b.log\nlocal\n/top\n# no\n",
    "sub/top": "",
    "sub/deep/top": "",
    "sub/deep/local": "",
    "sub/b.log": "",
    "sub/local": "",
    "sub/deep/c.log": "",
    "sub/secret.txt": "",
    "node_modules/m.js": "",
  });
  assert.deepEqual(pathsIn(folder), [
    ".gitignore",
    ".tessignore",
    "data/x",
    "keep.log",
    "node_modules/m.js",
    "sub/.gitignore",
    "sub/b.log",
    "sub/deep/top",
  ]);
});

test("rules of the repository around the folder count", (t) => {
  const folder = folderWith(t, {
    ".git/HEAD": "",
    ".gitignore": "*.bin\n/exp/out/\n",
    "exp/a.bin": "",
    "exp/out/x": "",
    "exp/a.py": "",
  });
  assert.deepEqual(pathsIn(join(folder, "exp")), ["a.py"]);
  assert.deepEqual(pathsIn(join(folder, "exp/out")), ["x"], "a folder that it ignores is sent by its own rules");
});

test("links inside are kept, also absolute ones; links out of the folder are left out with a word", (t) => {
  const folder = folderWith(t, { "lib/m.py": "", "train.py": "" });
  symlinkSync("../train.py", join(folder, "lib/t.py"));
  symlinkSync(join(folder, "lib/m.py"), join(folder, "m.py"));
  symlinkSync("/etc/passwd", join(folder, "passwd"));
  symlinkSync("lib/../../x", join(folder, "out"));
  const found = scanFolder(folder, 10);
  assert.deepEqual(found.links.map(({ path, link }) => `${path} ${link}`).sort(), [
    "lib/t.py ../train.py",
    "m.py lib/m.py",
  ]);
  assert.deepEqual([...found.leftOut].sort(), [
    "out is a link out of the folder, to lib/../../x",
    "passwd is a link out of the folder, to /etc/passwd",
  ]);
});

test("names that no other machine could have are left out with a word; empty folders are kept", (t) => {
  const folder = folderWith(t, { "a.py": "" });
  mkdirSync(join(folder, "logs/deep"), { recursive: true });
  writeFileSync(join(folder, "two\nlines"), "");
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), "");
  const found = scanFolder(folder, 10);
  assert.deepEqual(found.emptyFolders, ["logs/deep"]);
  assert.equal(found.files.length, 1);
  assert.equal(found.leftOut.length, 2);
  assert.match(found.leftOut.join("\n"), /not UTF-8/);
  assert.match(found.leftOut.join("\n"), /"two\\nlines" holds a control character/);
});

test("a folder that is too large is refused with its largest entries and how to leave them out", (t) => {
  const folder = folderWith(t, { "data/a.bin": "x".repeat(9_000), "data/b.bin": "x".repeat(9_000), "train.py": "x" });
  const refused = (files: number, bytes: number) => {
    try {
      checkSize(scanFolder(folder, 1_000), { files, bytes });
    } catch (error) {
      const { message, hint } = error as { message: string; hint: string };
      return `${message}\n${hint}`;
    }
    return "taken";
  };
  assert.equal(refused(3, 18_001), "taken");
  assert.match(
    refused(3, 10_000),
    /3 files and 18 KiB, and 3 files and 9\.8 KiB are allowed\. Largest:\n {2}data\/ {2}18 KiB, 2 files\n {2}train\.py {2}1 B\n/,
  );
  assert.match(refused(3, 10_000), /echo 'data\/' >> \.tessignore/);
  assert.match(refused(2, 100_000), /3 files/);
  assert.equal(scanFolder(folder, 1).tooMany, true);
});
