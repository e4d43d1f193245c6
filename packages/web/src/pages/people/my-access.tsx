import type { WhoAmI } from "@tessera/wire";
import { Card } from "../../design/parts.tsx";
import { Factors } from "../security/factors.tsx";
import { Sessions } from "../security/sessions.tsx";
import { PasswordForm } from "./password-form.tsx";
import { TokenList } from "./token-list.tsx";

/** The user's own password, second factors, tokens and sessions. */
export function MyAccess({ me }: { me: WhoAmI }) {
  return (
    <div className="grid">
      <Card title={me.name} className="span-6">
        <div className="stack">
          <ul className="list">
            {me.bindings.map(({ role, account }) => (
              <li key={`${role} ${account}`}>
                {role} of {account === "" ? "the platform" : account}
              </li>
            ))}
          </ul>
          <PasswordForm user={me.user} asks={me.hasPassword ?? false} />
        </div>
      </Card>
      <Card title="Second factors" className="span-6">
        <Factors asks={me.hasPassword ?? false} />
      </Card>
      <Card title="Where you are signed in" className="span-6">
        <Sessions />
      </Card>
      <Card className="span-6">
        <TokenList
          user={{ id: me.user, name: me.name }}
          mine
          asks={me.hasPassword ?? false}
          mayMake={me.scopes.length === 0}
        />
      </Card>
    </div>
  );
}
