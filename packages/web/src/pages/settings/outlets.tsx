import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Card, Empty, Skeleton } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";

/** Where webhooks and the audit are sent, and whether they are taken; they are set when the server is started. */
export function Outlets() {
  const may = useMay();
  if (!may("policy.write")) return null;
  return (
    <Card title="Webhooks and audit">
      <List />
    </Card>
  );
}

function List() {
  const { data } = useCall("listOutlets", {}, { everyMs: 15_000 });
  if (data === undefined) return <Skeleton />;
  const where = (
    <>
      They are set when the server is started: <code>--webhook URL</code> and <code>--audit-to TARGET</code>.
    </>
  );
  if (data.items.length === 0) return <Empty title="No other system is told">{where}</Empty>;
  return (
    <div className="stack tight">
      <ul className="list">
        {data.items.map(({ name, delivered, failed, failing }) => (
          <li key={name} className="row apart wrap">
            <span>
              <code className="break">{name}</code>{" "}
              <span className="quiet small">
                {count(delivered, "message")} taken, {count(failed, "attempt")} failed since the start
              </span>
            </span>
            <Chip tone={failing ? "down" : "healthy"} shape={failing ? "cross" : "square"}>
              {failing ? "fails; tried again" : "works"}
            </Chip>
          </li>
        ))}
      </ul>
      <p className="quiet small">{where}</p>
    </div>
  );
}
