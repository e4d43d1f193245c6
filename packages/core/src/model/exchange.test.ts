import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claimMatches, wrongClaimValue } from "./exchange.ts";

describe("a rule of a claim", () => {
  it("is met by the very value, and by nothing that only nearly is", () => {
    assert.ok(claimMatches("acme/widget", "acme/widget"));
    for (const near of [
      "acme/widget2",
      "acme/widge",
      "xacme/widget",
      "ACME/widget",
      " acme/widget",
      "acme/widget\n",
      "",
    ])
      assert.ok(!claimMatches("acme/widget", near), JSON.stringify(near));
    for (const other of [undefined, null, {}, [], [["acme/widget"]], 7, true])
      assert.ok(!claimMatches("acme/widget", other));
  });

  it("takes a star for one part of a name, and two for any", () => {
    const cases: readonly (readonly [string, string, boolean])[] = [
      ["acme/*", "acme/widget", true],
      ["acme/*", "acme/", true],
      ["acme/*", "acme/widget/x", false],
      ["acme/*", "acme-evil/widget", false],
      ["acme/**", "acme/widget/x", true],
      ["refs/heads/release-*", "refs/heads/release-1.2", true],
      ["refs/heads/release-*", "refs/heads/release-1/../main", false],
      ["refs/*/v*.0", "refs/tags/v1.0", true],
      ["refs/*/v*.0", "refs/tags/v1.1", false],
      ["system:serviceaccount:ci:*", "system:serviceaccount:ci:builder", true],
      ["system:serviceaccount:ci:*", "system:serviceaccount:ci:a:b", false],
      ["system:serviceaccount:ci:*", "system:serviceaccount:ci-evil:builder", false],
      ["a.c", "abc", false],
      ["a+", "aa", false],
    ];
    for (const [value, claim, is] of cases) assert.equal(claimMatches(value, claim), is, `${value} ${claim}`);
  });

  it("is met by one element of a list, by numbers and by booleans as they are written", () => {
    assert.ok(claimMatches("ml", ["staff", "ml"]));
    assert.ok(claimMatches("true", true) && claimMatches("7", 7));
    assert.ok(
      !claimMatches(
        "ml",
        Array.from({ length: 101 }, () => "ml"),
      ),
    );
  });

  it("takes no time on texts made to be slow", () => {
    assert.ok(!claimMatches("a**a**a**a**b", "a".repeat(1_000)) && !claimMatches("a*", "a".repeat(1_025)));
  });

  it("cannot be one that anything meets", () => {
    for (const fine of ["acme/*", "a*b*c*d*", "x"]) assert.equal(wrongClaimValue(fine), undefined, fine);
    for (const bad of ["", "*", "**", "*/*", "a***", "a*b*c*d*e*f"])
      assert.notEqual(wrongClaimValue(bad), undefined, bad);
  });
});
