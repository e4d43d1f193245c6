import type { Role } from "./access.ts";
import type { AccountNo, TokenId } from "./ids.ts";
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
  /** The claim that holds what SCIM calls `externalId`; absent = `sub`. */
  readonly scimClaim?: string;
}

/** With it the identity system of a provider tells of its people and groups (SCIM); it works nowhere else. */
export interface ScimToken {
  readonly id: TokenId;
  readonly prefix: string;
  /** SHA-256 of the whole token, hexadecimal. */
  readonly hash: string;
  readonly createdAt: Instant;
}

export interface Provider {
  readonly name: string;
  readonly terms: ProviderTerms;
  readonly createdAt: Instant;
  /** While there is one, people of the provider are those that its identity system sent. */
  readonly scim?: readonly ScimToken[];
}

/** What `RoleBinding.from` says of roles that a provider's rules gave. */
export function fromProvider(name: string): string {
  return `sso:${name}`;
}

/** The same of roles that the rules gave because of groups that came by SCIM. */
export function fromScim(name: string): string {
  return `scim:${name}`;
}
