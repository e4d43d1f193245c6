import { useState } from "react";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Confirm } from "../../design/confirm.tsx";
import { CommandLine } from "../../design/inputs.tsx";
import { Button, Card, Skeleton, Time } from "../../design/parts.tsx";

/** The keys that seal secrets, logs, code and outputs; for the platform owner. */
export function DataKeys() {
  const may = useMay();
  if (!may("policy.write")) return null;
  return (
    <Card title="Data keys">
      <List />
    </Card>
  );
}

function List() {
  const { data } = useCall("listDataKeys");
  /** The owner of the key that is replaced; null = the platform. */
  const [asking, setAsking] = useState<string | null | undefined>();
  const rotate = useAct("rotateDataKey", ({ version }) => `Version ${version} seals from now on.`);
  if (data === undefined) return <Skeleton />;
  const ownerOf = (account: string | null) => account ?? "the platform";
  const act = () =>
    rotate.mutate(
      { body: asking === null || asking === undefined ? {} : { account: asking } },
      { onSuccess: () => setAsking(undefined) },
    );
  return (
    <>
      <ul className="list">
        {data.items.map(({ id, account, version, madeAt, seals }) => (
          <li key={id} className="row apart wrap">
            <span>
              {ownerOf(account)} <span className="quiet small">version {version}, made </span>
              <span className="quiet small">
                <Time at={madeAt} />
              </span>
            </span>
            <span className="row">
              <Chip tone={seals ? "healthy" : "idle"} shape={seals ? "square" : "ring"}>
                {seals ? "seals" : "only opens"}
              </Chip>
              {seals && (
                <Button small aria-label={`Rotate the key of ${ownerOf(account)}`} onClick={() => setAsking(account)}>
                  Rotate
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {data.items.length === 0 && <p className="quiet">Nothing is sealed yet: the first secret or log makes a key.</p>}
      {asking !== undefined && (
        <Confirm
          harmless
          title={`Rotate the key of ${ownerOf(asking)}?`}
          act="Make a new key"
          busy={rotate.isPending}
          onAct={act}
          onClose={() => setAsking(undefined)}
        >
          <p>
            A new key seals from now on. It takes over what older ones sealed, while everything goes on, and they are
            then destroyed. Backups from before need the keys of then.
          </p>
          <CommandLine>{`tess key rotate${asking === null ? "" : ` --account ${asking}`}`}</CommandLine>
        </Confirm>
      )}
    </>
  );
}
