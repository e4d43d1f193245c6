import type { Account } from "@tessera/wire";
import { Field } from "../../design/parts.tsx";

export const roleNames = [
  "platform-owner",
  "tenant-admin",
  "team-admin",
  "member",
  "viewer",
  "finance",
  "auditor",
] as const;
export type RoleName = (typeof roleNames)[number];

interface RolePickProps {
  readonly role: RoleName;
  readonly account: string;
  readonly accounts: readonly Account[];
  readonly onRole: (role: RoleName) => void;
  readonly onAccount: (account: string) => void;
}

/** A role and where it holds; the server says which ones may be given. */
export function RolePick({ role, account, accounts, onRole, onAccount }: RolePickProps) {
  return (
    <div className="fields">
      <Field label="Role">
        {(props) => (
          <select
            {...props}
            className="input"
            value={role}
            onChange={(event) => onRole(event.target.value as RoleName)}
          >
            {roleNames.map((name) => (
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
