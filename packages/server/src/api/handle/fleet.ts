import { type FleetNode, findNode, isRefusal, nodeName, parseDuration, rootAccount } from "@tessera/core";
import { may } from "../../access/policy.ts";
import { checkZone, instantOf } from "../../flow/zones.ts";
import { Holders, loadOf, renderGpu, renderNode } from "../../render/fleet.ts";
import { fleetMap } from "../../render/fleet-map.ts";
import { nodeReason } from "../../render/node-reason.ts";
import { timestamp } from "../../render/quantities.ts";
import { notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Call, type Handler } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { listing, pageOf, sortOf } from "../request/page.ts";

type FleetHandlers = {
  readFleet: Handler<"readFleet">;
  listAlarms: Handler<"listAlarms">;
  listNodes: Handler<"listNodes">;
  getNode: Handler<"getNode">;
  cordonNode: Handler<"cordonNode">;
  drainNode: Handler<"drainNode">;
  maintainNode: Handler<"maintainNode">;
  upNode: Handler<"upNode">;
  downNode: Handler<"downNode">;
  listGpus: Handler<"listGpus">;
};

type NodeCommand = Extract<Parameters<Api["control"]["ask"]>[0], { node: string }>;

export const fleetHandlers: FleetHandlers = {
  readFleet: (api, { principal }) => ({ items: [...fleetMap(api.control.state, principal.user)] }),

  listAlarms: ({ alarms }) => ({
    items: (alarms?.list() ?? []).map((alarm) => ({ ...alarm, since: timestamp(alarm.since) })),
  }),

  listNodes: (api, call) => pageOf(api.seal, nodeListing(api, call), call.query),

  getNode: (api, call) => shown(api, call),

  cordonNode: (api, call) =>
    change(api, call, { kind: "node.cordon", node: call.params.node!, reason: call.body.reason ?? "" }),

  drainNode(api, call) {
    const { reason = "", within } = call.body;
    const wait = within === undefined ? undefined : parseDuration(within, "within");
    if (isRefusal(wait)) return wait;
    const until = wait === undefined ? {} : { until: api.control.now() + wait };
    return change(api, call, { kind: "node.drain", node: call.params.node!, reason, ...until });
  },

  maintainNode(api, call) {
    const node = call.params.node!;
    if ("cancel" in call.body) return change(api, call, { kind: "node.maintenance", node, window: null });
    const { tz, reason = "maintenance" } = call.body;
    const badZone = tz === undefined ? undefined : checkZone(tz);
    if (badZone !== undefined) return badZone;
    const from = instantOf(call.body.from, tz, "from");
    if (isRefusal(from)) return from;
    const to = instantOf(call.body.to, tz, "to");
    if (isRefusal(to)) return to;
    const window = { from, to, reason, ...(tz !== undefined && { zone: tz }) };
    return change(api, call, { kind: "node.maintenance", node, window });
  },

  upNode: (api, call) => change(api, call, { kind: "node.up", node: call.params.node! }),

  downNode: (api, call) =>
    change(api, call, { kind: "node.down", node: call.params.node!, reason: call.body.reason ?? "" }),

  listGpus: (api, call) => pageOf(api.seal, gpuListing(api, call), call.query),
};

export function nodeListing(api: Api, { query, principal }: Pick<Call<"listNodes">, "query" | "principal">) {
  const { state } = api.control;
  const { model, mode, engine } = query;
  const text = query.text?.trim().toLowerCase() ?? "";
  const mayChange = may(state, principal.user, "engine.write", rootAccount);
  const nodes = nodesOf(api).filter(
    (node) =>
      (mode === undefined || (mode === "out" ? node.mode !== "up" : node.mode === mode)) &&
      (engine === undefined || node.facts.engine === engine) &&
      (model === undefined || node.facts.gpus.some((gpu) => gpu.model === model)) &&
      (text === "" || wordsOf(node, nodeReason(state, node, mayChange)).includes(text)),
  );
  const acts = new Acts(state, principal).onFleet("node");
  const show = (node: FleetNode) => ({ ...renderNode(state, api.seal, principal.user, node), may: acts });
  const sort = sortOf(query.sort, {
    name: (node: FleetNode) => nodeName(state.fleet, node),
    mode: ({ mode: is }) => is,
    model: ({ facts }) => facts.gpus[0]?.model ?? "",
    free: (node) => node.facts.gpus.reduce((sum, _, i) => sum + state.fleet.unitsOffered(node.firstGpu + i), 0),
    rack: ({ facts: { place } }) => `${place.zone}\n${place.block}\n${place.rack}`,
  });
  return listing("nodes", nodes, (node) => node.no, show, sort);
}

/** What of a node is looked through for a text. */
function wordsOf({ facts }: FleetNode, reason: string): string {
  const { place, gpus, engine, name } = facts;
  return `${engine}/${name} ${gpus[0]?.model ?? ""} ${place.zone} ${place.block} ${place.rack} ${reason}`.toLowerCase();
}

interface GpuPlace {
  readonly node: FleetNode;
  readonly index: number;
}

export function gpuListing(api: Api, { query, principal }: Pick<Call<"listGpus">, "query" | "principal">) {
  const { state } = api.control;
  const holders = new Holders(state);
  const places: GpuPlace[] = [];
  const asked = query.node === undefined ? undefined : findNode(state.fleet, query.node);
  for (const node of nodesOf(api)) {
    if (asked !== undefined && node !== asked) continue;
    for (const [index, { model }] of node.facts.gpus.entries())
      if (query.model === undefined || model === query.model) places.push({ node, index });
  }
  const show = ({ node, index }: GpuPlace) => renderGpu(state, principal.user, node, index, holders);
  return listing("gpus", places, ({ node, index }) => node.firstGpu + index, show);
}

export function nodesOf({ control: { state } }: Api): FleetNode[] {
  return state.fleet.nodes.filter((node): node is FleetNode => node !== undefined);
}

function shown(api: Api, call: Pick<Call<"getNode">, "params" | "principal">) {
  const { control } = api;
  const { state } = control;
  const node = findNode(state.fleet, call.params.node!);
  if (isRefusal(node)) return notFound("node");
  const { user } = call.principal;
  const may = new Acts(state, call.principal).onFleet("node");
  return { ...renderNode(state, api.seal, user, node), load: loadOf(state, user, node, control.now()), may };
}

async function change(
  api: Api,
  call: Call<"cordonNode" | "drainNode" | "maintainNode" | "upNode" | "downNode">,
  command: NodeCommand,
) {
  const done = await api.control.ask(command, askerOf(call));
  return isRefusal(done) ? done : shown(api, call);
}
