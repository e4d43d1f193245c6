import assert from "node:assert/strict";
import { it } from "node:test";
import { LineCutter, lineCharsMax, redrawnEveryMs } from "./lines.ts";
import { maskerOf } from "./mask.ts";

const cut = (parts: readonly (string | Buffer)[], secrets: readonly string[] = []) => {
  const cutter = new LineCutter(maskerOf(secrets));
  return [...parts.flatMap((part) => cutter.push(Buffer.from(part))), ...cutter.end()];
};

it("joins what arrives in parts and cuts it at line feeds", () => {
  assert.deepEqual(cut(["on", "e\ntwo\r\n\nth", "ree"]), ["one", "two", "", "three"]);
  const euro = Buffer.from("€\n");
  assert.deepEqual(cut([euro.subarray(0, 1), euro.subarray(1)]), ["€"]);
});

it("keeps bytes that are no text as replacement characters", () => {
  assert.deepEqual(cut([Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a])]), ["a\ufffd\ufffdb"]);
});

it("cuts a very long line into pieces and loses nothing of it", () => {
  const long = "0123456789".repeat(20_000);
  const pieces = cut(Array.from({ length: 10 }, (_, part) => long.slice(part * 20_000, (part + 1) * 20_000)));
  assert.equal(pieces.join(""), long);
  assert.ok(pieces.length > 1 && pieces.every((piece) => piece.length <= lineCharsMax));
});

it("[S28] hides secrets wherever they are cut: between parts, between pieces, over several lines", () => {
  const secret = "s3cr3t-canary-value";
  assert.deepEqual(cut(["token=s3cr3t-ca", "nary-value!\n"], [secret]), ["token=******!"]);
  const filler = "x".repeat(lineCharsMax * 3 - 7);
  for (const shown of [cut([`${filler}${secret}${filler}`], [secret]), cut([filler, secret, filler, "\n"], [secret])]) {
    assert.ok(!shown.join("").includes("canary"), "a part of the secret is shown");
  }
  const key = "-----BEGIN KEY-----\nMIIcanary1\nMIIcanary2\n";
  assert.deepEqual(cut([`${key}done\n`], [key]), ["******", "******", "******", "done"]);
  assert.deepEqual(cut(["a short word\n"], ["word"]), ["a short word"]);
});

it("[S28] hides the longer of two secrets that begin alike", () => {
  assert.deepEqual(cut(["abcdef abcdefghij\n"], ["abcdef", "abcdefghij"]), ["****** ******"]);
});

it("keeps every ten seconds how a line looks that is drawn over and over, and its end", () => {
  const cutter = new LineCutter(maskerOf(["s3cr3t-canary"]));
  const shown: [number, string][] = [];
  const push = (at: number, text: string) => {
    for (const line of cutter.push(Buffer.from(text), at)) shown.push([at, line]);
  };
  for (let second = 0; second <= 25; second++) push(second * 1_000, `\r${second} % of s3cr3t-canary`);
  push(26_000, "\r100 %\n");
  assert.deepEqual(shown, [
    [10_000, "9 % of ******"],
    [20_000, "19 % of ******"],
    [26_000, "20 % of ******\r21 % of ******\r22 % of ******\r23 % of ******\r24 % of ******\r25 % of ******\r100 %"],
  ]);
});

it("keeps a line that ends soon as it was written, also where its end comes in halves", () => {
  const cutter = new LineCutter(maskerOf([]));
  assert.deepEqual(cutter.push(Buffer.from("10 %\r50 %"), 0), []);
  assert.deepEqual(cutter.push(Buffer.from("\r100 %\n"), 1_000), ["10 %\r50 %\r100 %"]);
  assert.deepEqual(cutter.push(Buffer.from("done\r"), 2_000), []);
  assert.deepEqual(cutter.push(Buffer.from("\n"), 2_000 + 2 * redrawnEveryMs), ["done"]);
});

it("cuts a long line that is drawn over and over where it is drawn over", () => {
  const cutter = new LineCutter(maskerOf([]));
  const bar = (no: number) => `\r${String(no).padStart(5)} |${"#".repeat(100)}|`;
  const kept = cutter.push(Buffer.from(Array.from({ length: 1_000 }, (_, no) => bar(no)).join("")), 0);
  assert.deepEqual(kept, [bar(998).slice(1)]);
  assert.deepEqual(cutter.end(), [bar(999).slice(1)]);
});
