import type { GroupRule, ReadonlyState, Role } from "@tessera/core";

/** A role at an account. */
export interface Given {
  readonly role: Role;
  readonly account: string;
}

/** What the rules give someone in these groups. Rules for accounts that are gone give nothing. */
export function rolesBy(state: ReadonlyState, rules: readonly GroupRule[], groups: readonly string[]): Given[] {
  const member = new Set(groups);
  const given = new Map<string, Given>();
  for (const { group, role, account: no } of rules) {
    const path = state.accounts[no]?.path;
    if (path !== undefined && member.has(group)) given.set(`${role} ${path}`, { role, account: path });
  }
  return [...given.values()];
}
