import assert from "node:assert/strict";
import { it } from "node:test";
import { addressesIn, nameAsked, refusalOf } from "./names.ts";

function labels(name: string): Buffer {
  const parts = name.split(".").map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  return Buffer.concat([...parts, Buffer.of(0)]);
}

function query(name: string): Buffer {
  return Buffer.concat([Buffer.from("123401000001000000000000", "hex"), labels(name), Buffer.from("00010001", "hex")]);
}

it("reads the name that is asked for, whatever its case, and nothing from what is no question", () => {
  assert.equal(nameAsked(query("PyPI.org")), "pypi.org");
  const answer = query("pypi.org");
  answer[2] = 0x81;
  assert.equal(nameAsked(answer), undefined);
  assert.equal(nameAsked(query("pypi.org").subarray(0, 20)), undefined);
  const loop = Buffer.concat([query("a").subarray(0, 12), Buffer.from("c00c00010001", "hex")]);
  assert.equal(nameAsked(loop), undefined);
});

it("reads the addresses of an answer, behind other records and shortened names", () => {
  const head = query("pypi.org");
  head[2] = 0x81;
  head.writeUInt16BE(2, 6);
  const alias = Buffer.concat([Buffer.from("c00c000500010000003c0004", "hex"), Buffer.from("0178c00c", "hex")]);
  const address = Buffer.from("c00c000100010000003c0004c0000207", "hex");
  assert.deepEqual(addressesIn(Buffer.concat([head, alias, address])), ["192.0.2.7"]);
  assert.deepEqual(addressesIn(head), []);
});

it("refuses a question under its own number", () => {
  const refusal = refusalOf(query("example.org"));
  assert.equal(refusal.readUInt16BE(0), 0x1234);
  assert.equal(refusal[2]! & 0x80, 0x80);
  assert.equal(refusal[3]! & 0x0f, 5);
});
