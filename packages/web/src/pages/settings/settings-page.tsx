import type { ReactNode } from "react";
import { useParams } from "wouter";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Missing } from "../../design/missing.tsx";
import { Card, Skeleton, Tabs } from "../../design/parts.tsx";
import { settingsSections } from "../../frame/pages.ts";
import { Anchors } from "./anchors.tsx";
import { DataKeys } from "./data-keys.tsx";
import { Outlets } from "./outlets.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { PriceBook } from "./price-book.tsx";
import { Providers } from "./providers.tsx";

const sections: Readonly<Record<(typeof settingsSections)[number]["name"], () => ReactNode>> = {
  "": () => <Policy />,
  prices: () => <PriceBook />,
  providers: () => <Providers />,
  anchors: () => <Anchors />,
  keys: () => <DataKeys />,
  outlets: () => <Outlets />,
  api: () => <Api />,
};

/** The owner's settings, one section at a time; each has an address. What a role cannot read is not listed. */
export default function SettingsPage() {
  const may = useMay();
  const { section: name = "" } = useParams<{ section?: string }>();
  const mine = settingsSections.filter(({ needs }) => may(needs));
  const here = settingsSections.find((each) => each.name === name);
  if (here === undefined || !mine.includes(here))
    return (
      <Missing
        title={here === undefined ? "There is no such section" : "Not for your role"}
        why={here === undefined ? `Nothing is at ${location.pathname}.` : "It needs the role platform-owner."}
        href="/settings"
        go="Settings"
      />
    );
  return (
    <div className="page">
      <div className="head">
        <h1>Settings</h1>
      </div>
      <Tabs label="Settings" tabs={mine.map(({ href, label }) => ({ href, label, here: href === here.href }))} />
      {sections[here.name]()}
    </div>
  );
}

/** The policy for the whole fleet; every user may read it. */
function Policy() {
  const { data } = useCall("getPolicy", {}, { everyMs: 30_000 });
  return (
    <div className="grid">
      <Card title="Policy" className="span-8">
        {data === undefined ? <Skeleton /> : <PolicyForm policy={data} />}
      </Card>
    </div>
  );
}

function Api() {
  return (
    <Card title="API">
      <ul className="list">
        <li>
          <a href="/openapi.json">OpenAPI document</a>
        </li>
        <li>
          <a href="/v1/schemas/job.json">Schema of the job file</a>
        </li>
        <li className="stack tight">
          Metrics for Prometheus, with a token:
          <code className="break">curl -H "authorization: Bearer TOKEN" {location.origin}/metrics</code>
        </li>
      </ul>
    </Card>
  );
}
