import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answerTo } from "./dns.js";

function question(name, type = 1) {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  const head = Buffer.from([0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([head, ...labels, Buffer.from([0, 0, type, 0, 1])]);
}

describe("the names of gangs", () => {
  const lookUp = (name) => ({ "gang.tess-a.svc.cluster.local": ["10.202.1.2", "10.202.1.3"] })[name];

  it("answers with all addresses behind a name, in any case of letters", () => {
    const answer = answerTo(question("Gang.tess-a.svc.cluster.local"), lookUp);
    assert.equal(answer.readUInt16BE(0), 0xabcd);
    assert.deepEqual([answer[3] & 15, answer.readUInt16BE(6)], [0, 2]);
    assert.deepEqual([...answer.subarray(-4)], [10, 202, 1, 3]);
  });

  it("has no address of another kind, and tells unknown names from names that are not its own", () => {
    const code = (asked) => answerTo(asked, lookUp)[3] & 15;
    const other = answerTo(question("gang.tess-a.svc.cluster.local", 28), lookUp);
    assert.deepEqual([other[3] & 15, other.readUInt16BE(6)], [0, 0]);
    assert.deepEqual([code(question("none.tess-a.svc.cluster.local")), code(question("example.org"))], [3, 5]);
    assert.equal(answerTo(Buffer.from("nonsense"), lookUp), undefined);
  });
});
