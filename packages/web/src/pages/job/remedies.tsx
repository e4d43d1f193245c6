import type { Remedy } from "@tessera/wire";
import { Link } from "wouter";
import { Button } from "../../design/parts.tsx";
import { nodeAddress } from "../../frame/address.ts";
import { useUpNode } from "../nodes/node-acts.ts";
import { useReleaseJob } from "./job-acts.ts";

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
  const release = useReleaseJob();
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
  const up = useUpNode();
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
