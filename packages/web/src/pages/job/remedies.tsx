import type { Remedy } from "@tessera/wire";
import { Link } from "wouter";
import { useAct } from "../../api/use-call.ts";
import { Button } from "../../design/parts.tsx";
import { nodeAddress } from "../../frame/address.ts";

/** Acts that would help and that this user may do, without another job. */
export function Remedies({ remedies }: { remedies: readonly Remedy[] }) {
  return (
    <ul className="stack tight">
      {remedies.map((remedy) => (
        <li key={`${remedy.act} ${remedy.target}`} className="alternative first">
          {remedy.act === "release" ? <Release remedy={remedy} /> : <Open remedy={remedy} />}
        </li>
      ))}
    </ul>
  );
}

function Release({ remedy: { target, text } }: { remedy: Remedy }) {
  const release = useAct("releaseJob", () => "The job may start.");
  return (
    <>
      <strong>{text}</strong>
      <Button kind="primary" small onClick={() => release.mutate({ at: { job: target }, body: {} })}>
        Release
      </Button>
    </>
  );
}

function Open({ remedy: { target, text } }: { remedy: Remedy }) {
  const up = useAct("upNode", () => `${target} takes work again.`);
  return (
    <>
      <div>
        <strong>{text}</strong>
        <p className="small">
          <Link href={nodeAddress(target)}>Why it was closed</Link>
        </p>
      </div>
      <Button kind="primary" small onClick={() => up.mutate({ at: { node: target }, body: {} })}>
        Uncordon
      </Button>
    </>
  );
}
