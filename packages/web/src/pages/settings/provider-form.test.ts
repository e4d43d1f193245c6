import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ProviderShape } from "@tessera/wire";
import { providerBody, providerCommand, providerDraftOf, ruleEffects, wrongInProvider } from "./provider-form.ts";

const corp: ProviderShape = {
  ...{ name: "corp", issuer: "https://id.example.org", clientId: "tessera", label: "Corp", groupsClaim: "groups" },
  ...{ scopes: ["profile", "email"], acr: [], scimClaim: "sub", hasSecret: true, users: 2 },
  ...{ redirectPath: "/r", logoutPath: "/l", createdAt: "2026-11-01T00:00:00.000Z" },
  scim: { path: "/scim", tokens: [], users: 0, activeUsers: 0, groups: 0 },
  rules: [{ group: "ml", role: "member", account: "lab" }],
};

describe("a provider as it is typed", () => {
  it("is made of what was said, and a change leaves alone what was not touched", () => {
    const fresh = {
      ...providerDraftOf(undefined),
      name: "corp",
      issuer: "https://id.example.org",
      clientId: "tessera",
    };
    assert.deepEqual(providerBody(fresh, undefined, "s3cret"), {
      ...{ issuer: "https://id.example.org", clientId: "tessera", clientSecret: "s3cret" },
      ...{ scopes: ["profile", "email"], groupsClaim: "groups", scimClaim: "sub" },
    });
    const before = providerDraftOf(corp);
    assert.deepEqual(providerBody(before, before, ""), {});
    assert.deepEqual(providerBody({ ...before, acr: "mfa, hwk", rules: [] }, before, ""), {
      ...{ acr: ["mfa", "hwk"], rules: [] },
    });
  });

  it("is one command with all that the form sets, which never shows the secret", () => {
    const rules = [
      { group: "gpu admins", role: "platform-owner", account: "" } as const,
      { group: "ml", role: "member", account: "lab" } as const,
    ];
    const before = providerDraftOf(corp);
    assert.equal(
      providerCommand("corp", providerBody({ ...before, rules }, before, "s3cret")),
      "tess provider add corp --client-secret-file FILE --rule 'gpu admins=platform-owner' --rule ml=member@lab",
    );
  });

  it("names the field that is wrong", () => {
    const draft = providerDraftOf(corp);
    assert.deepEqual(wrongInProvider(draft), {});
    const rules = [...draft.rules, { group: " ", role: "viewer" as const, account: "" }];
    const wrong = wrongInProvider({ ...draft, name: "Corp", issuer: "id.example.org", clientId: "a b", rules });
    assert.deepEqual(Object.keys(wrong), ["name", "issuer", "clientId", "rules"]);
    assert.match(wrong.rules!, /Rule 2 names no group/);
  });

  it("says whose roles its rules change", () => {
    const role = { role: "member", account: "lab" } as const;
    const user = { user: "usr_1", name: "ana", groups: [], gains: [role], loses: [{ ...role, account: "" }] };
    assert.deepEqual(ruleEffects({ users: [user], more: 3 }), [
      { text: "ana loses member of the platform at once; ana gains member of lab at the next sign-in", bad: true },
      { text: "3 more users would change.", bad: false },
    ]);
    assert.deepEqual(ruleEffects({ users: [], more: 0 }), [{ text: "No one's roles change.", bad: false }]);
  });
});
