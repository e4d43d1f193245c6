import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { above, whyNotText } from "./why-not.ts";

describe("why something may not be done", () => {
  it("names the roles, the account where they must hold, and the people to ask", () => {
    const needs = { roles: ["platform-owner", "tenant-admin", "team-admin"], ask: ["platform-owner", "tenant-admin"] };
    assert.equal(
      whyNotText(needs as never, "acme/ml"),
      "Needs the role tenant-admin or team-admin at acme/ml; ask a tenant-admin of acme/ml.",
    );
    assert.equal(
      whyNotText(needs as never, above("acme")),
      "Needs the role platform-owner; ask one of the platform's owners.",
    );
  });

  it("names the platform's owners for what only they may do", () => {
    const needs = { roles: ["platform-owner"], ask: ["platform-owner"] };
    assert.equal(
      whyNotText(needs as never, "acme"),
      "Needs the role platform-owner; ask one of the platform's owners.",
    );
  });
});
