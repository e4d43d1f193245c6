import { accountOf, type Instant, isRefusal, type Refusal, type Token, type TokenId } from "@tessera/core";
import { mintToken } from "../../access/tokens.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { newId } from "../ids.ts";

/** A token of `tess login` is good for a week: groups are looked at again when its user signs in again. */
const loginTokenMs = 7 * 24 * 3_600_000;

/**
 * A token for a program that a person let in with a browser: it may do no more than the session, and ends with its token.
 * `factorAt`: when the session showed a second factor.
 */
export async function createLoginToken(
  control: ControlPlane,
  source: Token,
  { label, factorAt }: { readonly label: string; readonly factorAt: Instant | undefined },
  by: Pick<Asker, "request" | "address">,
): Promise<string | Refusal> {
  const { token, prefix, hash } = mintToken();
  const { user, scopes, signIn, account, networks } = source;
  const endsAt = control.now() + Math.min(loginTokenMs, control.state.policy.tokenLifeMsMax ?? loginTokenMs);
  const parent = source.parent === undefined ? undefined : control.state.tokens.get(source.parent);
  const done = await control.ask(
    {
      ...{ kind: "token.create", id: newId("tok_") as TokenId, user, prefix, hash, scopes },
      label: `tess login: ${label}`.slice(0, 100),
      expiresAt: parent === undefined || parent.expiresAt === 0 ? endsAt : Math.min(endsAt, parent.expiresAt),
      ...(parent !== undefined && { parent: parent.id }),
      ...(signIn !== undefined && { signIn: { ...signIn, ...(factorAt !== undefined && { factorAt }) } }),
      ...(account !== undefined && { account: accountOf(control.state, account).path }),
      ...(networks !== undefined && { networks }),
    },
    { actor: { user, token: source.id }, ...by },
  );
  return isRefusal(done) ? done : token;
}
