import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Command } from "../journal/command.ts";
import { isRefusal } from "../journal/refusal.ts";
import type { UserId } from "../model/ids.ts";
import { apply } from "../state/apply/apply.ts";
import { emptyState } from "../state/empty.ts";
import { decide } from "./decide.ts";

const eve = "usr_eve" as UserId;
const terms = {
  ...{ issuer: "https://id.example", clientId: "tessera", label: "Corp", scopes: [], groupsClaim: "groups", acr: [] },
  rules: [{ group: "boss", role: "platform-owner", account: "" } as const],
};

describe("providers of sign-ins", () => {
  const state = emptyState();
  const ask = (command: Command) => {
    const decision = decide(state, { kind: "command", actor: { user: "system" }, command } as never, 1);
    if (!isRefusal(decision)) for (const event of decision.events) apply(state, event);
    return decision;
  };
  const roles = () => state.users.get(eve)!.bindings;

  it("never take the last platform owner away, and take it once there is another", () => {
    ask({ kind: "provider.set", name: "corp", terms });
    ask({ kind: "user.create", user: eve });
    const follow = (bindings: readonly { role: "platform-owner"; account: string }[]) =>
      ask({ kind: "role.follow", user: eve, from: "sso:corp", bindings });
    follow([{ role: "platform-owner", account: "" }]);
    follow([]);
    assert.deepEqual(roles(), [{ role: "platform-owner", account: 0, from: "sso:corp" }]);
    ask({ kind: "user.create", user: "usr_ann" as UserId, first: { role: "platform-owner", account: "" } });
    follow([]);
    assert.deepEqual(roles(), []);
  });

  it("are refused with the issuer of another, or with rules for accounts that are not there", () => {
    const same = ask({ kind: "provider.set", name: "twin", terms });
    assert.ok(isRefusal(same) && same.field === "issuer");
    const rules = [{ group: "ml", role: "member", account: "nowhere" } as const];
    const other = { ...terms, issuer: "https://other.example", rules };
    const refused = ask({ kind: "provider.set", name: "other", terms: other });
    assert.ok(isRefusal(refused) && refused.field === "rules.0.account");
  });
});
