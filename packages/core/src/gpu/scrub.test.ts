import assert from "node:assert/strict";
import { it } from "node:test";
import { type Account, plainTerms, type Trust } from "../model/account.ts";
import type { AccountNo } from "../model/ids.ts";
import { mayPassUnscrubbed } from "./scrub.ts";

function tenant(no: number, trust: Trust, trustGroup?: string): Account {
  return { no: no as AccountNo, terms: { ...plainTerms, trust, trustGroup } } as Account;
}

it("[S4] a GPU passes without a scrub inside one tenant and between trusted tenants of one group only", () => {
  const [a, b] = [tenant(1, "trusted", "g"), tenant(2, "trusted", "g")];
  assert.equal(mayPassUnscrubbed(tenant(1, "untrusted"), tenant(1, "untrusted")), true);
  assert.equal(mayPassUnscrubbed(a, b), true);
  assert.equal(mayPassUnscrubbed(tenant(3, "trusted"), tenant(4, "trusted")), false);
  assert.equal(mayPassUnscrubbed(a, tenant(5, "trusted", "other")), false);
  assert.equal(mayPassUnscrubbed(a, tenant(5, "untrusted", "g")), false);
  assert.equal(mayPassUnscrubbed(tenant(5, "confidential", "g"), a), false);
  assert.equal(mayPassUnscrubbed(undefined, a), false);
});
