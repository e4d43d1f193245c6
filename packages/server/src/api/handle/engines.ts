import { refuse } from "@tessera/core";
import type { EngineShape } from "@tessera/wire";
import { gpusOf } from "../../render/quantities.ts";
import { notFound } from "../answer/problem.ts";
import type { Api, Handler } from "../context.ts";
import { listing, pageOf } from "../request/page.ts";
import { nodesOf } from "./fleet.ts";

type EngineHandlers = {
  listEngines: Handler<"listEngines">;
  createEngine: Handler<"createEngine">;
  getEngine: Handler<"getEngine">;
  editEngine: Handler<"editEngine">;
  cordonEngine: Handler<"cordonEngine">;
  upEngine: Handler<"upEngine">;
  deleteEngine: Handler<"deleteEngine">;
};

export const engineHandlers: EngineHandlers = {
  listEngines: (api, call) => pageOf(api.seal, engineListing(api), call.query),
  getEngine: (api, call) => shown(api).find(({ name }) => name === call.params.engine) ?? notFound("engine"),
  createEngine: (_api, call) => given(call.body.name),
  editEngine: (_api, call) => given(call.params.engine!),
  cordonEngine: (_api, call) => given(call.params.engine!),
  upEngine: (_api, call) => given(call.params.engine!),
  deleteEngine: (_api, call) => given(call.params.engine!),
};

export function engineListing(api: Api) {
  return listing(
    "engines",
    shown(api),
    ({ name }) => name,
    (engine) => engine,
  );
}

/** The engine of this server, as its nodes show it. */
function shown(api: Api): EngineShape[] {
  const { fleet } = api.control.state;
  const nodes = nodesOf(api);
  return [...new Set(nodes.map(({ facts }) => facts.engine))].map((name) => {
    const own = nodes.filter(({ facts }) => facts.engine === name);
    const gpus = own.reduce((sum, { facts }) => sum + facts.gpus.length, 0);
    const free = own.reduce(
      (sum, { firstGpu, facts }) => facts.gpus.reduce((all, _, i) => all + fleet.unitsOffered(firstGpu + i), sum),
      0,
    );
    return {
      ...{ name, kind: name === "simulated" ? "simulated" : "local", reach: "reachable" },
      ...{ nodes: own.length, gpus, gpusFree: gpusOf(free), leaving: false, lostAfter: null },
      ...{ credentials: "none", fromStart: true },
    };
  });
}

function given(name: string) {
  return refuse(
    "unsupported",
    "engine",
    name,
    "the engine of this server is given when it starts",
    "see: tess server -h",
  );
}
