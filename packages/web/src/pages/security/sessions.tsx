import type { SessionItem } from "@tessera/wire";
import { useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Button, Time } from "../../design/parts.tsx";
import { toast } from "../../frame/toasts.tsx";

/** Browsers and terminals in which the user is signed in; each can be named and ended. */
export function Sessions() {
  const { data, refetch } = useCall("listSessions", {}, { everyMs: 60_000 });
  const items = data?.items ?? [];
  const others = items.filter(({ here }) => !here);
  const endOthers = async () => {
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
          <Button onClick={() => void endOthers()}>End all others</Button>
        </div>
      )}
    </div>
  );
}

function Row({ item }: { item: SessionItem }) {
  const revoke = useAct("revokeToken", () => `${item.device}: ended.`);
  const rename = useAct("nameSession");
  const [name, setName] = useState<string>();
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
        <Button small onClick={() => revoke.mutate({ at: { token: item.id } })}>
          Revoke
        </Button>
      )}
    </li>
  );
}
