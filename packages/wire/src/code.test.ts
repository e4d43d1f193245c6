import assert from "node:assert/strict";
import test from "node:test";
import { codeText } from "./code.ts";

test("says where the files of a job came from", () => {
  const tree = "0123456789abcdef".repeat(4);
  const commit = "fedcba9876543210".repeat(3);
  assert.equal(codeText({ tree }), "snapshot 0123456789ab");
  assert.equal(
    codeText({ tree, commit, dirty: true, from: "/home/ann/run" }),
    "snapshot 0123456789ab of /home/ann/run, commit fedcba987654, with changes",
  );
  assert.equal(codeText({ tree, commit, dirty: false }), "snapshot 0123456789ab, commit fedcba987654");
  assert.equal(codeText({ git: "https://x.org/a.git", ref: "v1" }), "https://x.org/a.git at v1");
  assert.equal(codeText({ in_place: "/data" }), "in /data on the node, in place");
  assert.equal(codeText("/data"), "in /data on the node");
  assert.equal(codeText(undefined), undefined);
});
