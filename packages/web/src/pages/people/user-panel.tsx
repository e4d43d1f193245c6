import type { UserShape } from "@tessera/wire";
import type { Role } from "@tessera/wire/roles";
import { useState } from "react";
import { Link } from "wouter";
import { useMay, useMe } from "../../api/me.tsx";
import { useAllAccounts } from "../../api/use-accounts.ts";
import { useAct } from "../../api/use-call.ts";
import { Act } from "../../design/act.tsx";
import { mayDo } from "../../design/may-do.ts";
import { Button, Card } from "../../design/parts.tsx";
import { AskDisable, useEnableUser } from "./ask-disable.tsx";
import { AskErase } from "./ask-erase.tsx";
import { AskRole } from "./ask-role.tsx";
import { AskTakeRole } from "./ask-take-role.tsx";
import { PasswordForm } from "./password-form.tsx";
import { placeWord } from "./place-word.ts";
import { roleEffect } from "./role-effect.ts";
import { canGive, placeOf, RolePick } from "./roles.tsx";
import { TokenList } from "./token-list.tsx";

/** One user: roles, password, tokens, and whether the user is enabled. */
export function UserPanel({ user }: { user: UserShape }) {
  const me = useMe();
  const may = useMay();
  const asks = user.id === me.user && user.hasPassword;
  const accounts = useAllAccounts().data;
  const [role, setRole] = useState<Role>("member");
  const [account, setAccount] = useState<string | undefined>();
  const bind = useAct(
    "bindRole",
    ({ role: given, account: at }) => `${user.name} is ${given} of ${at || "the platform"} now.`,
  );
  const enable = useEnableUser(user.name);
  const [giving, setGiving] = useState(false);
  const [disabling, setDisabling] = useState(false);
  const [erasing, setErasing] = useState(false);
  const [taking, setTaking] = useState<UserShape["bindings"][number] | undefined>();
  const at = accounts && placeOf(me, role, account, accounts);
  const give = (at: string) =>
    bind.mutate({ body: { user: user.id, role, account: at } }, { onSettled: () => setGiving(false) });
  const notFor = `You may act for ${user.name} only with roles that could give each role of ${user.name}; ask an administrator who holds them.`;
  return (
    <Card
      title={user.name}
      beside={
        <Link href="/people" className="small">
          Close
        </Link>
      }
    >
      <div className="stack">
        <div>
          <h3>Roles</h3>
          <ul className="list">
            {user.bindings.map((binding) => (
              <li key={`${binding.role} ${binding.account}`}>
                <span style={{ flex: 1 }}>
                  {binding.role} of {placeWord(binding.account)}
                </span>
                {mayDo("unbindRole", binding) && (
                  <Button small data-act="unbindRole" onClick={() => setTaking(binding)}>
                    Remove
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </div>
        {accounts !== undefined && canGive(me, accounts) && (
          <div className="row wrap" style={{ alignItems: "flex-end" }}>
            <RolePick role={role} account={at} accounts={accounts} onRole={setRole} onAccount={setAccount} />
            <Button
              data-act="bindRole"
              disabled={bind.isPending || at === undefined}
              onClick={() => at !== undefined && (roleEffect(role, at) === undefined ? give(at) : setGiving(true))}
            >
              Give
            </Button>
          </div>
        )}
        {mayDo("setPassword", user) && <PasswordForm user={user.id} asks={asks} />}
        {may("token.read") && (
          <TokenList user={user} mine={user.id === me.user} asks={asks} mayMake={mayDo("createToken", user)} />
        )}
        {user.id !== me.user && (
          <div className="row">
            {user.disabled ? (
              <Act
                act="enableUser"
                of={user}
                at=""
                why={notFor}
                onClick={() => enable.mutate({ at: { user: user.id }, body: {} })}
              >
                Enable
              </Act>
            ) : (
              <Act act="disableUser" of={user} at="" why={notFor} kind="danger" onClick={() => setDisabling(true)}>
                Disable
              </Act>
            )}
            <Act act="eraseUser" of={user} at="" why={notFor} kind="danger" onClick={() => setErasing(true)}>
              Erase
            </Act>
          </div>
        )}
      </div>
      {giving && at !== undefined && (
        <AskRole
          {...{ name: user.name, role, at }}
          act="Give the role"
          busy={bind.isPending}
          onAct={() => give(at)}
          onClose={() => setGiving(false)}
        />
      )}
      {erasing && <AskErase user={user} onClose={() => setErasing(false)} />}
      {disabling && <AskDisable user={user} onClose={() => setDisabling(false)} />}
      {taking !== undefined && <AskTakeRole user={user} taken={taking} onClose={() => setTaking(undefined)} />}
    </Card>
  );
}
