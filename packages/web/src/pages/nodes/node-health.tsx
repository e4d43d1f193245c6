import type { CheckShape, FindingShape } from "@tessera/wire";
import { useMay } from "../../api/me.tsx";
import { useAct, useCall } from "../../api/use-call.ts";
import { Button, Card, Time } from "../../design/parts.tsx";
import { count } from "../../format/numbers.ts";

/** What was found of the node and its GPUs, and how its last checks went. */
export function NodeHealth({ name }: { name: string }) {
  const may = useMay();
  const { data } = useCall("readNodeHealth", { at: { node: name } }, { everyMs: 5_000 });
  const check = useAct("checkNode", () => `${name} is being checked.`);
  if (data === undefined) return null;
  const { findings, checks, checking, checked, repair, faults } = data;
  return (
    <Card
      title="Health"
      beside={
        may("node.write") && (
          <Button disabled={checking} onClick={() => check.mutate({ at: { node: name }, body: {} })}>
            {checking ? "Checks run" : "Check now"}
          </Button>
        )
      }
    >
      <ul className="list">
        {repair !== undefined && <li>Repair {repair} is open: it takes work again after its checks pass.</li>}
        {faults > 0 && <li>Taken out of use {count(faults, "time")} within seven days.</li>}
        {findings.map((finding) => (
          <Found key={`${finding.source} ${finding.code} ${finding.gpu}`} finding={finding} />
        ))}
        {findings.length === 0 && <li className="quiet">Nothing was found.</li>}
        {checked !== undefined && (
          <li className="quiet small">
            Checked <Time at={checked} />
          </li>
        )}
        {checks.map((each) => (
          <Checked key={`${each.name} ${each.gpu}`} check={each} />
        ))}
      </ul>
    </Card>
  );
}

function Found({ finding: { name, action, means, gpu, count: times, last, text } }: { finding: FindingShape }) {
  return (
    <li>
      {name}, {action}: {means}
      {gpu !== undefined && <code className="small"> {gpu}</code>}
      <span className="quiet small">
        {" "}
        {times > 1 && `${times} times, `}
        last <Time at={last} />
        {text !== undefined && text !== "" && `: ${text}`}
      </span>
    </li>
  );
}

function Checked({ check: { name, gpu, result, measured, expected, text } }: { check: CheckShape }) {
  const said = [measured, expected, text].filter((each) => each !== undefined && each !== "").join("; ");
  return (
    <li>
      {name} {result}
      {gpu !== undefined && <code className="small"> {gpu}</code>}
      <span className="quiet small"> {said}</span>
    </li>
  );
}
