import { findNode, isRefusal, nodeName, refuse, rootAccount } from "@tessera/core";
import { may } from "../../access/policy.ts";
import { gpusHeld } from "../../flow/health/node-checks.ts";
import { renderHealth, renderRepair } from "../../render/health.ts";
import { notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Call, type Handler } from "../context.ts";
import { listing, pageOf } from "../request/page.ts";

type HealthHandlers = {
  readNodeHealth: Handler<"readNodeHealth">;
  checkNode: Handler<"checkNode">;
  checkJob: Handler<"checkJob">;
  listRepairs: Handler<"listRepairs">;
  closeRepair: Handler<"closeRepair">;
};

const noChecks = refuse(
  "conflict",
  "node",
  null,
  "cannot be checked: this server drives no engines",
  "ask the server that does",
);

export const healthHandlers: HealthHandlers = {
  readNodeHealth: (api, call) => shown(api, call),

  checkNode(api, call) {
    const node = findNode(api.control.state.fleet, call.params.node!);
    if (isRefusal(node)) return notFound("node");
    const { checks: names } = call.body;
    const refused = api.nodeChecks?.begin(node, names === undefined ? {} : { names }, askerOf(call)) ?? undefined;
    return (api.nodeChecks === undefined ? noChecks : refused) ?? shown(api, call);
  },

  checkJob(api, call) {
    const { state } = api.control;
    const { target } = call;
    const leases = "live" in target && "leases" in target.live ? target.live.leases : [];
    const nodes = [...new Set(leases.map(({ node }) => node))].map((no) => state.fleet.node(no));
    const held = nodes
      .map((node) => ({ node, gpuUuids: gpusHeld(node, leases) }))
      .filter(({ gpuUuids }) => gpuUuids.length > 0);
    if (held.length === 0)
      return refuse("conflict", "job", call.params.job!, "holds no GPUs now", "check it while it runs");
    if (api.nodeChecks === undefined) return noChecks;
    const begun: string[] = [];
    for (const { node, gpuUuids } of held) {
      const refused = api.nodeChecks.begin(node, { gpuUuids }, askerOf(call), true);
      if (refused !== undefined) return begun.length > 0 ? { nodes: begun } : refused;
      begun.push(nodeName(state.fleet, node));
    }
    return { nodes: begun };
  },

  listRepairs: (api, call) => pageOf(api.seal, repairListing(api, call), call.query),

  async closeRepair(api, call) {
    const repair = /^\d{1,9}$/.test(call.params.repair!) ? Number(call.params.repair) : 0;
    const done = await api.control.ask({ kind: "repair.close", repair, reason: call.body.reason }, askerOf(call));
    if (isRefusal(done)) return done;
    const closed = api.control.state.repairs.get(repair);
    return closed === undefined ? notFound("repair") : renderRepair(api.control.state, closed);
  },
};

function repairListing({ control: { state } }: Api, { query }: Pick<Call<"listRepairs">, "query">) {
  const asked = query.node === undefined ? undefined : findNode(state.fleet, query.node);
  const isAsked = (key: string) =>
    query.node === undefined || key === query.node || (!isRefusal(asked) && state.fleet.nodeByName.get(key) === asked);
  const repairs = [...state.repairs.values()].filter(
    ({ node, closedAt }) => isAsked(node) && (query.state === "all" || closedAt === undefined),
  );
  return listing(
    "repairs",
    repairs,
    ({ no }) => no,
    (repair) => renderRepair(state, repair),
  );
}

function shown({ control, nodeChecks }: Api, call: Pick<Call<"readNodeHealth">, "params" | "principal">) {
  const { state } = control;
  const node = findNode(state.fleet, call.params.node!);
  if (isRefusal(node)) return notFound("node");
  const evidence = may(state, call.principal.user, "node.write", rootAccount);
  return renderHealth(state, node, { checking: nodeChecks?.isRunning(node) ?? false, evidence, now: control.now() });
}
