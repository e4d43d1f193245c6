import { minute, type TokenId, type UserId } from "@tessera/core";
import type { Teller } from "./teller.ts";

const day = 24 * 60 * minute;

/** A service account, whose tokens come by exchange: the terms change, one goes with its account, and a token expires. */
export function tellExchanges(t: Teller): void {
  const [ci, robot] = ["usr_ci" as UserId, "usr_robot" as UserId];
  t.do({ kind: "user.create", user: ci, service: "lab", first: { role: "member", account: "lab" } });
  const terms = {
    ...{ issuer: "https://ci.example", audience: "tessera", user: ci, account: "lab", scopes: ["job.submit"] },
    ...{ rules: [{ claim: "repository", value: "acme/*" }], tokenLifeMs: 15 * minute },
  };
  const token = (no: number, more: object) =>
    t.do({
      ...{ kind: "token.create", id: `tok_ci${no}` as TokenId, user: ci, prefix: "tess_ci", hash: `${no}`.repeat(64) },
      ...{ label: "ci", scopes: terms.scopes, expiresAt: t.now + 30 * day, account: "lab", ...more },
    });
  t.do({ kind: "exchange.set", name: "ci", terms });
  token(1, { signIn: { by: "workload", exchange: "ci" } });
  t.do({ kind: "exchange.set", name: "ci", terms: { ...terms, reusable: true, jwks: '{"keys":[]}' } });
  token(2, { signIn: { by: "workload", exchange: "ci" } });
  t.do({ kind: "exchange.set", name: "old", terms });
  t.do({ kind: "exchange.remove", name: "old" });
  token(3, { networks: ["10.0.0.0/8"] });
  t.do({ kind: "token.expiring", token: "tok_ci3" as TokenId });
  t.account("bots", 0);
  t.do({ kind: "user.create", user: robot, service: "bots" });
  t.do({ kind: "account.delete", path: "bots" });
  t.do({ kind: "policy.set", policy: { ...t.state.policy, passwordsOff: true, tokenLifeMsMax: 90 * day } });
}
