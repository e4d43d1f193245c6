import type { ActNeeds, Job, Remedy, WaitReason } from "@tessera/wire";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { Button, ButtonLink } from "../../design/parts.tsx";
import { above, whyNotText } from "../../design/why-not.ts";
import { inZone } from "../../format/times.ts";
import { nodeAddress } from "../../frame/address.ts";
import { useUpNode } from "../nodes/node-acts.ts";
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
  const up = useUpNode();
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
export function WhatEnds({ ends, reason, job, remedies }: WhatEndsProps) {
  const act = needed(reason, job);
  const isOn = act !== undefined && remedies.length === 0;
  const { data } = useCall("readSession", {}, { on: isOn, mayFail: true });
  const needs = data?.needs?.find(({ acts }: ActNeeds) => isOn && acts.includes(act.act));
  return (
    <p className="quiet">
      {ends} {needs !== undefined && `${act?.what} ${whyNotText(needs, act?.at ?? "").replace(/^Needs/, "needs")}`}
    </p>
  );
}

interface WhatEndsProps {
  readonly ends: string;
  readonly reason: WaitReason;
  readonly job: Job;
  readonly remedies: readonly Remedy[];
}

/** The act that would end the wait, for which the reader may lack the role. */
function needed({ kind, account }: WaitReason, { project }: Job) {
  switch (kind) {
    case "budget":
      return { act: "setBudget", at: account ?? project, what: "Raising the budget" } as const;
    case "quota":
      return account === undefined
        ? undefined
        : ({ act: "editAccount", at: above(account), what: "Raising the quota" } as const);
    case "health":
      return { act: "upNode", at: "", what: "Opening a node" } as const;
    case "held":
      return { act: "releaseJob", at: project, what: "Releasing it" } as const;
    default:
      return undefined;
  }
}
