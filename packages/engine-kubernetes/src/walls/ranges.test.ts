import assert from "node:assert/strict";
import { it } from "node:test";
import { formatRange, mergeRanges, parseRange } from "./ranges.ts";

it("reads addresses and blocks of both families, and nothing else", () => {
  const read = (text: string) => {
    const range = parseRange(text);
    return range === undefined ? undefined : formatRange(range);
  };
  assert.equal(read("10.1.2.3"), "10.1.2.3/32");
  assert.equal(read("10.1.2.3/8"), "10.0.0.0/8");
  assert.equal(read("fd00::1:2"), "fd00::1:2/128");
  assert.equal(read("fd00:1::/32"), "fd00:1::/32");
  assert.equal(read("::ffff:10.0.0.1"), "::ffff:10.0.0.1/128");
  for (const wrong of ["", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "host", "10.0.0.0/-1"]) {
    assert.equal(read(wrong), undefined, wrong);
  }
});

it("joins blocks that lie side by side, and drops those inside others", () => {
  assert.deepEqual(mergeRanges(["10.0.1.0/24", "10.0.0.0/24", "10.0.0.7", "10.0.3.0/24"], 10), [
    "10.0.0.0/23",
    "10.0.3.0/24",
  ]);
  const nodes = Array.from({ length: 256 }, (_, i) => `10.202.${i}.0/24`);
  assert.deepEqual(mergeRanges(nodes, 10), ["10.202.0.0/16"]);
  assert.deepEqual(mergeRanges(["fd00::/65", "fd00:0:0:0:8000::/65", "10.0.0.1"], 10), ["10.0.0.1/32", "fd00::/64"]);
});

it("covers more rather than have too many blocks", () => {
  const spread = ["10.0.0.1", "10.0.0.3", "10.0.0.5", "192.168.0.0/16"];
  const merged = mergeRanges(spread, 2);
  assert.deepEqual(merged, ["10.0.0.0/29", "192.168.0.0/16"]);
});
