import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { walkScopes } from "../testing/scope-walk.ts";

describe("scopes", () => {
  it("[S33] let no token reach beyond them, whatever set it has; npm run prove:walls tries 10,000", async () => {
    const { beyond, tried, answered } = await walkScopes(100, 7);
    assert.deepEqual(beyond, []);
    assert.ok(tried > 200 && answered > 20, `${tried} tried, ${answered} answered`);
  });
});
