import { accountOf, rootAccount } from "@tessera/core";
import type { FastifyInstance } from "fastify";
import { may, rootsFor } from "../access/policy.ts";
import { inScope } from "../access/principal.ts";
import { answerDenial, unauthenticated } from "./answer/answer.ts";
import type { Api } from "./context.ts";
import { checkScope } from "./guard/authorise.ts";
import { CostMetrics, gatherCosts } from "./metrics/cost-metrics.ts";
import { fleetMetrics } from "./metrics/fleet-metrics.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { telemetryMetrics } from "./metrics/telemetry-metrics.ts";
import { tenantMetrics } from "./metrics/tenant-metrics.ts";
import { jobSchema, openApi } from "./openapi.ts";
import { version } from "./version.ts";

/** The text format of Prometheus. */
const textType = "text/plain; version=0.0.4; charset=utf-8";

/** What was measured, for one who may see everything. */
async function ownersMetrics({ activity, control: { state }, telemetry, reconciled }: Api): Promise<string> {
  const holdings = activity.holdings([accountOf(state, rootAccount)]);
  const status = await telemetry?.status?.().catch(() => undefined); // without samples the rest is still told
  return fleetMetrics(state, holdings, activity.rows()) + telemetryMetrics(status, reconciled?.());
}

/** Addresses outside the table: health and what the API looks like, which need no token, and metrics, which do. */
export function addPlainRoutes(app: FastifyInstance, api: Api, metrics: Metrics): void {
  app.get("/healthz", (_request, reply) => {
    reply.header("content-type", "application/json").send('{"ok":true}');
  });
  app.get("/readyz", (_request, reply) => {
    const { ready, why } = api.control.readiness();
    reply
      .code(ready ? 200 : 503)
      .header("content-type", "application/json")
      .send(JSON.stringify({ ready, why }));
  });
  const costs = new CostMetrics();
  const gather = (now: number) =>
    api.work?.answering.run("costs", null, "system metrics") ?? gatherCosts(api.control, now);
  app.get("/metrics", async (request, reply) => {
    const principal = request.incoming?.principal;
    if (principal === undefined) return answerDenial(request, reply, unauthenticated(api, request, reply));
    const outside = checkScope(principal, { action: "metrics.read" });
    if (outside !== undefined) return answerDenial(request, reply, outside);
    const { user } = principal;
    const { state } = api.control;
    const named = may(state, user, "node.write", rootAccount);
    return reply
      .header("content-type", textType)
      .send(
        metrics.text(api.control, named, api.alarms?.list() ?? []) +
          (named ? await ownersMetrics(api) : "") +
          (await costs.text(api.control, inScope(principal, "cost.read") ? user : undefined, gather)),
      );
  });
  app.get("/metrics/tenant", (request, reply) => {
    const principal = request.incoming?.principal;
    if (principal === undefined) return answerDenial(request, reply, unauthenticated(api, request, reply));
    const outside = checkScope(principal, { action: "metrics.read" });
    if (outside !== undefined) return answerDenial(request, reply, outside);
    const own = rootsFor(api.control.state, principal.user, "usage.read");
    return reply.header("content-type", textType).send(tenantMetrics(api.activity.holdings(own)));
  });
  const openApiText = JSON.stringify(openApi(version));
  app.get("/openapi.json", (_request, reply) => {
    reply.header("content-type", "application/json; charset=utf-8").send(openApiText);
  });
  const schemaText = JSON.stringify(jobSchema());
  app.get("/v1/schemas/job.json", (_request, reply) => {
    reply.header("content-type", "application/schema+json; charset=utf-8").send(schemaText);
  });
}
