import type { SessionItem } from "@tessera/wire";
import { useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { Button, Time } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";
import { toast } from "../../frame/toasts.tsx";

/** Browsers and terminals in which the user is signed in; each can be named and ended. */
export function Sessions() {
  const { data, refetch } = useCall("listSessions", {}, { everyMs: 60_000 });
  const items = data?.items ?? [];
  const others = items.filter(({ here }) => !here);
  const [asking, setAsking] = useState(false);
  const endOthers = async () => {
    setAsking(false);
    try {
      for (const { id } of others) await call("revokeToken", { at: { token: id } });
      toast("good", `${others.length} ended.`);
    } catch (error) {
      toast("bad", wordsOf(error));
    }
    void refetch();
  };
  return (
    <div className="stack tight">
      <ul className="list" aria-label="Where you are signed in">
        {items.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </ul>
      {others.length > 1 && (
        <div className="row">
          <Button onClick={() => setAsking(true)}>End all others</Button>
        </div>
      )}
      {asking && (
        <Confirm
          title={`End ${count(others.length, "other session")}?`}
          act="End them"
          busy={false}
          onAct={() => void endOthers()}
          onClose={() => setAsking(false)}
        >
          <p>{others.map(({ device }) => device).join(", ")} have to sign in again. This one stays.</p>
        </Confirm>
      )}
    </div>
  );
}

function Row({ item }: { item: SessionItem }) {
  const revoke = useAct("revokeToken", () => `${item.device}: ended.`);
  const rename = useAct("nameSession");
  const [name, setName] = useState<string>();
  const [asking, setAsking] = useState(false);
  const save = () => {
    const label = (name ?? "").trim();
    setName(undefined);
    if (label !== "" && label !== item.device) rename.mutate({ at: { session: item.id }, body: { label } });
  };
  return (
    <li>
      <span style={{ flex: 1, minWidth: 0 }}>
        {name === undefined ? (
          <Button kind="plain" small title="Give it a name" onClick={() => setName(item.device)}>
            {item.device}
          </Button>
        ) : (
          <input
            className="input"
            aria-label="Name of the device"
            maxLength={60}
            // biome-ignore lint/a11y/noAutofocus: it was asked for just now
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
            onBlur={save}
            onKeyDown={(event) => event.key === "Enter" && save()}
          />
        )}{" "}
        {item.here && <Chip tone="healthy">this one</Chip>}
        {item.fresh && <Chip tone="leaving">new device</Chip>}
        <span className="quiet small" style={{ display: "block" }}>
          {item.address}
          {item.by !== undefined && ` · by ${item.by}`} ·{" "}
          {item.lastUsedAt === undefined ? (
            "not used yet"
          ) : (
            <>
              used <Time at={item.lastUsedAt} />
            </>
          )}
        </span>
      </span>
      {!item.here && (
        <Button small onClick={() => setAsking(true)}>
          End
        </Button>
      )}
      {asking && (
        <Confirm
          title={`End ${item.device}?`}
          act="End it"
          busy={revoke.isPending}
          onAct={() => revoke.mutate({ at: { token: item.id } }, { onSettled: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>{item.device} has to sign in again.</p>
        </Confirm>
      )}
    </li>
  );
}
