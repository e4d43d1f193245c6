import type { AccountNo, TokenId, UserId } from "./ids.ts";
import type { Instant } from "./units.ts";

export const roles = [
  "platform-owner",
  "tenant-admin",
  "team-admin",
  "member",
  "viewer",
  "finance",
  "auditor",
] as const;
export type Role = (typeof roles)[number];

/** A role holds at its account and everything below. */
export interface RoleBinding {
  readonly role: Role;
  readonly account: AccountNo;
  /** Given by a rule of this source, such as `sso:corp`, which also takes it away; absent = given by hand. */
  readonly from?: string;
}

/** A person, by reference: names and addresses live outside the journal so that they can be erased. */
export interface User {
  readonly id: UserId;
  readonly createdAt: Instant;
  /** A service account, which belongs to this account: programs use it, and it cannot sign in. Absent = a person. */
  readonly service?: AccountNo;
  disabled: boolean;
  bindings: RoleBinding[];
  revision: number;
}

/** How a session, or a token that was made by signing in with a browser, was opened. */
export interface SignInFacts {
  readonly by: "password" | "token" | "link" | "sso" | "passkey" | "break-glass" | "workload";
  /** Of `sso`: the name of the provider. */
  readonly provider?: string;
  /** Of `workload`: the name of the exchange by which a token of another system became this one. */
  readonly exchange?: string;
  /** When a second factor was shown, or the provider said that one was. */
  readonly factorAt?: Instant;
}

/** What a user can show besides a password. */
export const factorKinds = ["passkey", "totp", "recovery"] as const;
export type FactorKind = (typeof factorKinds)[number];

/** What a token is limited to, and where it comes from; all of it absent in tokens of earlier versions. */
export interface TokenLimits {
  /** Absent: a program holds it, which is never asked for a factor. */
  readonly signIn?: SignInFacts;
  /** It works at this account and below. */
  readonly account?: AccountNo;
  /** CIDR networks from which it may be used; absent = all. */
  readonly networks?: readonly string[];
}

export interface Token extends TokenLimits {
  readonly id: TokenId;
  readonly user: UserId;
  /** The first characters, to recognise it by in a list. */
  readonly prefix: string;
  /** SHA-256 of the whole token, hexadecimal. The token itself is random and shown once. */
  readonly hash: string;
  readonly label: string;
  /** Actions it is limited to; empty = all that its user may do. */
  readonly scopes: readonly string[];
  readonly createdAt: Instant;
  /** 0 = never. */
  readonly expiresAt: Instant;
  /** The token that a session was exchanged for: when that one is revoked, so is this. */
  readonly parent?: TokenId;
  /** It was told that it expires soon. */
  warned?: true;
}
