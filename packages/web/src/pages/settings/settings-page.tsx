import { useCall } from "../../api/use-call.ts";
import { Card, Skeleton } from "../../design/parts.tsx";

import { Anchors } from "./anchors.tsx";
import { DataKeys } from "./data-keys.tsx";
import { Outlets } from "./outlets.tsx";
import { PolicyForm } from "./policy-form.tsx";
import { PriceBook } from "./price-book.tsx";
import { Providers } from "./providers.tsx";

/** The owner's policy for the whole fleet; every user may read it. */
export default function SettingsPage() {
  const { data } = useCall("getPolicy");
  return (
    <div className="page">
      <div className="head">
        <h1>Settings</h1>
      </div>
      <div className="grid">
        <Card title="Policy" className="span-7">
          {data === undefined ? <Skeleton /> : <PolicyForm key={data.revision} policy={data} />}
        </Card>
        <div className="span-5 stack">
          <PriceBook />
          <Providers />
          <Anchors />
          <DataKeys />
          <Outlets />
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
        </div>
      </div>
    </div>
  );
}
