import type { Role } from "./access.ts";
import type { AccountNo } from "./ids.ts";
import type { Instant } from "./units.ts";

/** Members of a group of the provider have this role, for as long as they are members. */
export interface GroupRule {
  readonly group: string;
  readonly role: Role;
  readonly account: AccountNo;
}

/** What the owner says of a provider of sign-ins (OpenID Connect). Its client secret is a private row. */
export interface ProviderTerms {
  readonly issuer: string;
  readonly clientId: string;
  /** On the button of the sign-in page. */
  readonly label: string;
  /** Asked for beside `openid`. */
  readonly scopes: readonly string[];
  /** The claim that lists groups. */
  readonly groupsClaim: string;
  readonly rules: readonly GroupRule[];
  /** Values of `acr` or `amr` that count as a second factor. */
  readonly acr: readonly string[];
}

export interface Provider {
  readonly name: string;
  readonly terms: ProviderTerms;
  readonly createdAt: Instant;
}

/** What `RoleBinding.from` says of roles that a provider's rules gave. */
export function fromProvider(name: string): string {
  return `sso:${name}`;
}
