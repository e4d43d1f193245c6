import { useAct, useCall } from "../../api/use-call.ts";
import { Button, Notice, Time } from "../../design/parts.tsx";

/** Someone signed in as this user on a device that was new: told wherever else the user is, until they say who it was. */
export function NewDeviceBanner() {
  const { data } = useCall("listSessions", {}, { everyMs: 60_000, mayFail: true });
  const known = useAct("nameSession", () => "Noted.");
  const revoke = useAct("revokeToken", () => "The session was ended. Change your password if someone else knew it.");
  return (data?.items ?? [])
    .filter(({ here, fresh }) => fresh && !here)
    .map(({ id, device, address, createdAt }) => (
      <div key={id} style={{ padding: "12px 20px 0" }}>
        <Notice
          kind="warn"
          action={
            <span className="row">
              <Button onClick={() => known.mutate({ at: { session: id }, body: {} })}>It was me</Button>
              <Button kind="danger" onClick={() => revoke.mutate({ at: { token: id } })}>
                End it
              </Button>
            </span>
          }
        >
          <strong>You signed in on a new device</strong>: {device}
          {address !== undefined && `, from ${address}`}, <Time at={createdAt} />.
        </Notice>
      </div>
    ));
}
