import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Token, TokenId, UserId } from "@tessera/core";
import { isExpiring, warnAtOf } from "./token-expiry.ts";

const day = 24 * 3_600_000;
const begin = 1_000 * day;

function tokenOf(lifeDays: number, prefix = "tess_abcdef"): Token {
  const expiresAt = lifeDays === 0 ? 0 : begin + lifeDays * day;
  const names = { id: "tok_1" as TokenId, user: "usr_1" as UserId, prefix, hash: "", label: "", scopes: [] };
  return { ...names, createdAt: begin, expiresAt };
}

describe("a token that expires", () => {
  it("is told of a week before, and in the last quarter of a short life", () => {
    assert.equal(warnAtOf(tokenOf(90)), begin + 83 * day);
    assert.equal(warnAtOf(tokenOf(8)), begin + 6 * day);
    for (const never of [tokenOf(0), tokenOf(1), tokenOf(90, "sess_abcdef")]) assert.equal(warnAtOf(never), undefined);
  });

  it("is expiring from then until it is expired", () => {
    const token = tokenOf(90);
    const at = [82.9, 83, 89.9, 90].map((days) => isExpiring(token, begin + days * day));
    assert.deepEqual(at, [false, true, true, false]);
  });
});
