import { type EngineState, isRefusal, parseDuration, type Refusal, refuse, rootAccount } from "@tessera/core";
import type { EngineShape } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import type { Principal } from "../../access/principal.ts";
import { addEngine, deleteEngine, editEngine } from "../../flow/engines/desk.ts";
import type { Engines } from "../../flow/engines/engines.ts";
import { countsByEngine, type EngineCount, renderEngine, type Standing } from "../../render/engine.ts";
import { type Denial, notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Call, type Handler } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { listing, pageOf } from "../request/page.ts";

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
  listEngines: (api, call) => pageOf(api.seal, engineListing(api, call), call.query),

  getEngine: (api, call) => shown(api, call, call.params.engine!),

  async createEngine(api, call) {
    const { name, kind, kubeconfig, settings = {} } = call.body;
    const lostAfterMs = msOf(call.body.lostAfter ?? null);
    if (isRefusal(lostAfterMs)) return lostAfterMs;
    const asked = { name, kind, settings, lostAfterMs, ...(kubeconfig !== undefined && { kubeconfig }) };
    const refusal = await onDesk(api, (engines) => addEngine(engines, askerOf(call), asked));
    return refusal ?? shown(api, call, name);
  },

  async editEngine(api, call) {
    const name = call.params.engine!;
    const { kubeconfig, settings, lostAfter } = call.body;
    const lostAfterMs = lostAfter === undefined ? undefined : msOf(lostAfter);
    if (isRefusal(lostAfterMs)) return lostAfterMs;
    const before = api.control.state.engines.get(name);
    if (before === undefined) return notFound("engine");
    const edit = {
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(settings !== undefined && { settings: merged(before.terms.settings, settings) }),
      ...(lostAfterMs !== undefined && { lostAfterMs }),
    };
    const refusal = await onDesk(api, (engines) => editEngine(engines, askerOf(call), name, edit));
    return refusal ?? shown(api, call, name);
  },

  async cordonEngine(api, call) {
    const name = call.params.engine!;
    const { reason = "" } = call.body;
    const done = await api.control.ask({ kind: "engine.cordon", name, reason }, askerOf(call));
    return isRefusal(done) ? done : shown(api, call, name);
  },

  async upEngine(api, call) {
    const name = call.params.engine!;
    const done = await api.control.ask({ kind: "engine.up", name }, askerOf(call));
    return isRefusal(done) ? done : shown(api, call, name);
  },

  async deleteEngine(api, call) {
    const refusal = await onDesk(api, (engines) => deleteEngine(engines, askerOf(call), call.params.engine!));
    return refusal ?? {};
  },
};

export function engineListing(api: Api, { principal }: Pick<Call<"listEngines">, "principal">) {
  const { state } = api.control;
  const counts = countsByEngine(state);
  const show = (engine: EngineState) => render(api, principal, engine, counts);
  return listing("engines", state.engines.values(), ({ name }) => name, show);
}

function shown(api: Api, { principal }: Pick<Call<"getEngine">, "principal">, name: string) {
  const { state } = api.control;
  const engine = state.engines.get(name);
  if (engine === undefined) return notFound("engine");
  return render(api, principal, engine, countsByEngine(state));
}

function render(
  api: Api,
  principal: Principal,
  engine: EngineState,
  counts: ReadonlyMap<string, EngineCount>,
): EngineShape {
  const { state } = api.control;
  const standing = api.engines?.statusOf(engine) ?? standingOf(engine);
  const mayChange = may(state, principal.user, "engine.write", rootAccount);
  const shown = renderEngine(engine, standing, counts.get(engine.name), mayChange);
  return { ...shown, may: new Acts(state, principal).onFleet("engine") };
}

/** As far as the journal tells, where no engine is driven. */
function standingOf({ away }: EngineState): Standing {
  return {
    ...{ reach: away === undefined ? "reachable" : "unreachable", credentials: "none", fromStart: true },
    ...(away !== undefined && { error: away.reason }),
  };
}

async function onDesk(api: Api, act: (engines: Engines) => Promise<Refusal | undefined>): Promise<Denial | undefined> {
  if (api.engines !== undefined) return act(api.engines);
  return refuse("unsupported", "engine", null, "this server drives no engines of its own", "");
}

function msOf(lostAfter: string | null): number | Refusal {
  if (lostAfter === null) return 0;
  const ms = parseDuration(lostAfter, "lostAfter");
  if (isRefusal(ms) || ms > 0) return ms;
  return refuse(
    "invalid",
    "lostAfter",
    lostAfter,
    "is no time at all",
    "give more, such as 30m, or null to wait for ever",
  );
}

/** A setting that is null is taken away. */
function merged(before: EngineState["terms"]["settings"], changes: Readonly<Record<string, string | null>>) {
  const all = Object.entries({ ...before, ...changes });
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}
