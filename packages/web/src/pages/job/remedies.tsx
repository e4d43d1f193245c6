import type { ActNeeds, Job, Remedy, WaitReason } from "@tessera/wire";
import { whatEnds } from "@tessera/wire/reasons";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import type { AnyAct } from "../../design/may-do.ts";
import { Button, ButtonLink } from "../../design/parts.tsx";
import { above, whyNotText } from "../../design/why-not.ts";
import { inZone } from "../../format/times.ts";
import { nodeAddress } from "../../frame/address.ts";
import { useUpNode } from "../nodes/use-node-acts.ts";
import { useReleaseJob } from "./job-acts.ts";

/** Acts that would help and that this user may do, without another job. */
export function Remedies({ remedies }: { remedies: readonly Remedy[] }) {
  return (
    <ul className="stack tight">
      {remedies.map((remedy) => (
        <li key={`${remedy.act} ${remedy.target}`} className="alternative first">
          {shown[remedy.act](remedy)}
        </li>
      ))}
    </ul>
  );
}

const shown: Readonly<Record<Remedy["act"], (remedy: Remedy) => ReactNode>> = {
  release: (remedy) => <Release remedy={remedy} />,
  up: (remedy) => <Open remedy={remedy} />,
  budget: (remedy) => <Elsewhere remedy={remedy} href="/cost/budgets" go="Budgets" />,
  credit: (remedy) => <Elsewhere remedy={remedy} href="/cost/invoices" go="Invoices" />,
  quota: (remedy) => <Elsewhere remedy={remedy} href={`/quota/${remedy.target}`} go="Quota" />,
};

function Release({ remedy: { target, text } }: { remedy: Remedy }) {
  const release = useReleaseJob();
  return (
    <>
      <strong>{text}</strong>
      <Button
        data-act="releaseJob"
        kind="primary"
        small
        onClick={() => release.mutate({ at: { job: target }, body: {} })}
      >
        Release
      </Button>
    </>
  );
}

function Open({ remedy: { target, text } }: { remedy: Remedy }) {
  const { data: node } = useCall("getNode", { at: { node: target } }, { mayFail: true });
  const up = useUpNode(node);
  return (
    <>
      <div>
        <strong>{inZone(text)}</strong>
        <p className="small">
          <Link href={nodeAddress(target)}>Why it was closed</Link>
        </p>
      </div>
      <Button data-act="upNode" kind="primary" small onClick={() => up.mutate({ at: { node: target }, body: {} })}>
        Uncordon
      </Button>
    </>
  );
}

/** Done on another page, which shows the effect first. */
function Elsewhere({ remedy: { text }, href, go }: { remedy: Remedy; href: string; go: string }) {
  return (
    <>
      <strong>{text}</strong>
      <ButtonLink href={href}>{go}</ButtonLink>
    </>
  );
}

/** What ends the wait, and, where another person has to act, which role it takes. */
export function WhatEnds({ reason, job, remedies }: WhatEndsProps) {
  const may = useMay();
  // Where no node can be opened, such as while its engine is out of reach, the role would not help.
  const isOut = reason.kind === "health" && may("node.write");
  const act = remedies.length === 0 && !isOut ? actFor(reason, job) : undefined;
  const { data } = useCall("readSession", {}, { on: act !== undefined, mayFail: true });
  const needs = act && data?.needs?.find(({ acts }: ActNeeds) => acts.includes(act.act));
  return (
    <p className="quiet">
      {whatEnds(reason)}
      {act !== undefined &&
        needs !== undefined &&
        ` ${act.what} ${whyNotText(needs, act.at).replace(/^Needs/, "needs")}`}
    </p>
  );
}

interface WhatEndsProps {
  readonly reason: WaitReason;
  readonly job: Job;
  readonly remedies: readonly Remedy[];
}

/** The act that would end the wait, for which the reader may lack the role. */
function actFor({ kind, of, account }: WaitReason, { project }: Job): ActFor | undefined {
  switch (kind) {
    case "budget":
      return of === "credit"
        ? { act: "setBilling", at: "", what: "Raising the credit limit" }
        : { act: "setBudget", at: account ?? project, what: "Raising the budget" };
    case "quota":
      return account === undefined ? undefined : { act: "editAccount", at: above(account), what: "Raising the quota" };
    case "health":
      return { act: "upNode", at: "", what: "Opening a node" };
    case "held":
      return { act: "releaseJob", at: project, what: "Releasing it" };
    default:
      return undefined;
  }
}

interface ActFor {
  readonly act: AnyAct;
  /** Where a role for it would have to hold; empty for the platform. */
  readonly at: string;
  readonly what: string;
}
