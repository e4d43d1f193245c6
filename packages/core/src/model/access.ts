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
}

/** A person, by reference: names and addresses live outside the journal so that they can be erased. */
export interface User {
  readonly id: UserId;
  readonly createdAt: Instant;
  disabled: boolean;
  bindings: RoleBinding[];
  revision: number;
}

export interface Token {
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
}
