import type { Account } from "@tessera/wire";
import { type Role, roles } from "@tessera/wire/roles";
import { Field } from "../../design/parts.tsx";

interface RolePickProps {
  readonly role: Role;
  readonly account: string;
  readonly accounts: readonly Account[];
  readonly onRole: (role: Role) => void;
  readonly onAccount: (account: string) => void;
}

/** A role and where it holds; the server says which ones may be given. */
export function RolePick({ role, account, accounts, onRole, onAccount }: RolePickProps) {
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
            {role === "platform-owner" && <option value="">the platform</option>}
            {accounts
              .filter(({ path }) => path !== "")
              .map(({ path }) => (
                <option key={path}>{path}</option>
              ))}
          </select>
        )}
      </Field>
    </div>
  );
}
