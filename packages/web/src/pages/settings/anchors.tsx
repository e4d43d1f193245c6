import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Card, Empty, Notice, Skeleton, Time } from "../../design/parts.tsx";

/** Where heads of the history are kept outside the server; for the platform owner. */
export function Anchors() {
  const may = useMay();
  if (!may("policy.write")) return null;
  return (
    <Card title="Anchors of the history">
      <List />
    </Card>
  );
}

function List() {
  const { data } = useCall("listAnchors");
  if (data === undefined) return <Skeleton />;
  if (data.items.length === 0)
    return (
      <Empty title="No head is kept outside the server" command="npx tess anchor add folder /mnt/other/heads">
        Who holds the store could rewrite its history unnoticed.
      </Empty>
    );
  return (
    <ul className="list">
      {data.items.map(({ id, kind, to, row, writtenAt, failure }) => (
        <li key={id}>
          {kind} <code>{to}</code>{" "}
          <span className="quiet small">
            {row === undefined ? "nothing written yet" : `row ${row}`}
            {writtenAt !== undefined && (
              <>
                , <Time at={writtenAt} />
              </>
            )}
          </span>
          {failure !== undefined && <Notice kind="warn">{failure}</Notice>}
        </li>
      ))}
    </ul>
  );
}
