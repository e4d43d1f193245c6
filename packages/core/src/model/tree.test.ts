import assert from "node:assert/strict";
import test from "node:test";
import { faultOfTree, parseTree, type TreeEntry, treeLimitsMax, treeText } from "./tree.ts";

const sha256 = "a".repeat(64);
const file = (path: string, bytes = 1): TreeEntry => ({ path, mode: 0o644, bytes, sha256 });
const fault = (files: TreeEntry[], limits = treeLimitsMax) => faultOfTree({ files }, limits)?.detail;

test("a tree of files, links inside it and empty folders is taken", () => {
  const files: TreeEntry[] = [
    file("a.py"),
    { path: "b", link: "a.py" },
    { path: "empty", folder: true },
    { path: "sub/up", link: "../a.py" },
    { path: "sub/up2", link: "./.." },
    file("sub/x"),
  ];
  assert.equal(fault(files), undefined);
});

test("nothing in a tree can name a place outside its folder", () => {
  for (const path of ["/etc/x", "../x", "a/../../x", "a//b", "", "./a", "a/.", "a\0b", "a\nb", "a\ud800"]) {
    assert.notEqual(fault([file(path)]), undefined, JSON.stringify(path));
  }
  for (const link of ["/etc/passwd", "..", "../..", "x/../..", "x/..", "", "\ud800"]) {
    assert.notEqual(fault([{ path: "l", link }]), undefined, JSON.stringify(link));
  }
  assert.notEqual(fault([{ path: "a/l", link: "../.." }]), undefined);
});

test("an entry cannot lie below a file or a link", () => {
  assert.match(fault([{ path: "a", link: "b" }, file("a/x"), file("b/x")])!, /lies below a,/);
  assert.match(fault([file("a"), file("a-b"), file("a/x")])!, /lies below a,/);
});

test("entries are sorted by path, and each path has one", () => {
  assert.match(fault([file("b"), file("a")])!, /out of order/);
  assert.match(fault([file("a"), file("a")])!, /twice/);
});

test("limits on files and bytes name what was found and what is allowed", () => {
  assert.equal(fault([file("a"), file("b")], { filesMax: 1, bytesMax: 9 }), "it has 2 files, and 1 are allowed");
  assert.equal(fault([file("a", 6), file("b", 6)], { filesMax: 9, bytesMax: 9 }), "it has 12 bytes, and 9 are allowed");
});

test("numbers and digests of an entry are checked", () => {
  for (const changes of [{ bytes: -1 }, { bytes: 0.5 }, { mode: 0o4755 }, { sha256: "A".repeat(64) }]) {
    assert.notEqual(fault([{ ...file("a"), ...changes } as TreeEntry]), undefined, JSON.stringify(changes));
  }
});

test("the text of a tree does not depend on how its entries were written", () => {
  const one = {
    files: [
      { sha256, path: "a", bytes: 1, mode: 420 },
      { link: "a", path: "b" },
    ],
  };
  assert.equal(
    treeText(one),
    `{"files":[{"path":"a","mode":420,"bytes":1,"sha256":"${sha256}"},{"path":"b","link":"a"}]}`,
  );
});

test("only the canonical text of a tree is read as one", () => {
  const text = treeText({ files: [file("a"), { path: "b", link: "a" }, { path: "c", folder: true }] });
  assert.equal(treeText(parseTree(text)!), text);
  for (const other of [
    "",
    "null",
    "{}",
    '{"files":[1]}',
    '{"files":[{"path":"a"}]}',
    `${text} `,
    text.replace("420", "4.2e2"),
  ]) {
    assert.equal(parseTree(other), undefined, other);
  }
});
