import type { Account, WhoAmI } from "@tessera/wire";
import { type Role, roles } from "@tessera/wire/roles";
import { useMe } from "../../api/me.tsx";
import { mayDo } from "../../design/may-do.ts";
import { SelectField } from "../../design/select.tsx";
import { placeWord } from "./place-word.ts";

/** Roles that make sense for the whole platform; only its owner may give them there. */
const platformWide: readonly Role[] = ["platform-owner", "auditor", "finance"];

/** Where a role would hold: the chosen place if the user may give the role there, else the first where it may, if any. */
export function placeOf(me: WhoAmI, role: Role, chosen: string | undefined, accounts: readonly Account[]) {
  const places = placesFor(me, role, accounts);
  if (chosen !== undefined && places.includes(chosen)) return chosen;
  return places.find((path) => path !== "") ?? places[0];
}

/** The roles that the user may give at an account, as the server says of each of the user's own roles. */
function rolesToGive({ bindings }: WhoAmI, at: string): readonly Role[] {
  const over = bindings.filter(({ account }) => account === "" || at === account || at.startsWith(`${account}/`));
  return roles.filter((role) => over.some(({ gives }) => gives?.includes(role)));
}

/** Where the role may be given; the empty path stands for the platform. */
function placesFor(me: WhoAmI, role: Role, accounts: readonly Account[]): readonly string[] {
  const places = accounts.filter((each) => each.path !== "" && mayDo("bindRole", each)).map(({ path }) => path);
  const all = role === "platform-owner" ? [""] : platformWide.includes(role) ? ["", ...places] : places;
  return all.filter((at) => rolesToGive(me, at).includes(role));
}

/** Whether there is any role that the user may give. */
export function canGive(me: WhoAmI, accounts: readonly Account[]): boolean {
  return roles.some((role) => placesFor(me, role, accounts).length > 0);
}

interface RolePickProps {
  readonly role: Role;
  readonly account: string | undefined;
  readonly accounts: readonly Account[];
  readonly onRole: (role: Role) => void;
  readonly onAccount: (account: string) => void;
}

/** A role and where it holds, of those that the user may give. */
export function RolePick({ role, account, accounts, onRole, onAccount }: RolePickProps) {
  const me = useMe();
  return (
    <div className="fields">
      <SelectField<Role>
        label="Role"
        value={role}
        of={roles.filter((name) => placesFor(me, name, accounts).length > 0)}
        onChange={onRole}
      />
      <SelectField
        label="At"
        value={account ?? ""}
        of={placesFor(me, role, accounts).map((path) => [path, placeWord(path)])}
        onChange={onAccount}
      />
    </div>
  );
}
