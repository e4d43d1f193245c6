import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { canonicalJson } from "./canonical.ts";

describe("canonical JSON", () => {
  it("[S12] is the same for equal values, whatever the order of their keys", () => {
    const text = '{"a":[1,{"x":null,"y":true}],"b":"ü\\n"}';
    assert.equal(canonicalJson({ a: [1, { x: null, y: true }], b: "ü\n" }), text);
    assert.equal(canonicalJson({ b: "ü\n", a: [1, { y: true, x: null }] }), text);
  });

  it("[S12] omits absent fields", () => {
    assert.equal(canonicalJson({ a: undefined, b: 1 }), '{"b":1}');
    assert.equal(canonicalJson({ b: 1, a: undefined }), '{"b":1}');
    assert.equal(canonicalJson({ b: undefined, a: undefined }), "{}");
  });

  it("[S12] sorts keys by code unit", () => {
    assert.equal(canonicalJson({ b: 1, a: 2, B: 3, "10": 4, "9": 5 }), '{"10":4,"9":5,"B":3,"a":2,"b":1}');
  });

  it("refuses fractions, and values that JSON cannot hold", () => {
    for (const wrong of [0.5, Number.NaN, 2 ** 53]) assert.throws(() => canonicalJson({ wrong }), /not a whole number/);
    for (const wrong of [1n, () => 1, undefined]) assert.throws(() => canonicalJson([wrong]), /cannot be written/);
  });
});
