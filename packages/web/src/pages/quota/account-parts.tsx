import type { Account } from "@tessera/wire";
import { useMay } from "../../api/me.tsx";
import { OrElse } from "../../chart/fallback.tsx";
import { mayDo } from "../../design/may-do.ts";
import { DeleteAccount } from "./delete-account.tsx";
import { Secrets } from "./secrets.tsx";
import { Volumes } from "./volumes.tsx";

/**
 * What belongs to an account beside its quota. What this person may read anywhere decides what is asked for; a part that
 * the server refuses for this account is left out.
 */
export default function AccountParts({ account, isEmpty }: { account: Account; isEmpty: boolean }) {
  const may = useMay();
  return (
    <div className="stack">
      {may("secret.read") && (
        <OrElse instead={null}>
          <Secrets account={account.path} mayWrite={mayDo("putSecret", account)} />
        </OrElse>
      )}
      {may("volume.read") && (
        <OrElse instead={null}>
          <Volumes
            account={account.path}
            mayMake={mayDo("putVolume", account)}
            mayShare={mayDo("putGrants", account)}
          />
        </OrElse>
      )}
      {mayDo("deleteAccount", account) && <DeleteAccount account={account} isEmpty={isEmpty} />}
    </div>
  );
}
