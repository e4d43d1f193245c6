import type { Account } from "@tessera/wire";
import { type Role, roles } from "@tessera/wire/roles";
import { isOwner, useMe } from "../../api/me.tsx";
import { Field } from "../../design/parts.tsx";

/** Roles that make sense for the whole platform; only its owner may give them there. */
const platformWide: readonly Role[] = ["platform-owner", "auditor", "finance"];

export function placeWord(account: string): string {
  return account === "" ? "the platform" : account;
}

/** Where a role would hold: what was chosen, as far as it goes with the role. */
export function placeOf(role: Role, chosen: string | undefined, accounts: readonly Account[]): string {
  if (role === "platform-owner") return "";
  if (chosen === "" && platformWide.includes(role)) return "";
  return chosen || (accounts.find(({ path }) => path !== "")?.path ?? "");
}

interface RolePickProps {
  readonly role: Role;
  readonly account: string;
  readonly accounts: readonly Account[];
  readonly onRole: (role: Role) => void;
  readonly onAccount: (account: string) => void;
}

/** A role and where it holds; the server says which ones may be given. */
export function RolePick({ role, account, accounts, onRole, onAccount }: RolePickProps) {
  const me = useMe();
  return (
    <div className="fields">
      <Field label="Role">
        {(props) => (
          <select {...props} className="input" value={role} onChange={(event) => onRole(event.target.value as Role)}>
            {roles.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="At">
        {(props) => (
          <select {...props} className="input" value={account} onChange={(event) => onAccount(event.target.value)}>
            {platformWide.includes(role) && isOwner(me) && <option value="">the platform</option>}
            {accounts
              .filter(({ path }) => path !== "" && role !== "platform-owner")
              .map(({ path }) => (
                <option key={path}>{path}</option>
              ))}
          </select>
        )}
      </Field>
    </div>
  );
}
