import { hasLabels, isRefusal, type Pool, type PoolTerms, type ReadonlyState } from "@tessera/core";
import type { BodyOf, PoolPreview, PoolShape } from "@tessera/wire";
import { may } from "../../access/policy.ts";
import type { Principal } from "../../access/principal.ts";
import { notFound } from "../answer/problem.ts";
import { type Api, askerOf, type Call, type Handler } from "../context.ts";
import { Acts } from "../guard/acts.ts";
import { listing, pageOf } from "../request/page.ts";

type PoolHandlers = {
  listPools: Handler<"listPools">;
  createPool: Handler<"createPool">;
  previewPool: Handler<"previewPool">;
  getPool: Handler<"getPool">;
  editPool: Handler<"editPool">;
  deletePool: Handler<"deletePool">;
};

const usualPrice = "1";

export const poolHandlers: PoolHandlers = {
  listPools: (api, call) => pageOf(api.seal, poolListing(api, call), call.query),

  previewPool: ({ control: { state } }, { body }) => previewPool(state, body),

  getPool: (api, call) => shown(api, call, call.params.pool!),

  async createPool(api, call) {
    const { name, price = usualPrice, ...said } = call.body;
    const terms = { ...said, perMille: perMilleOf(price) };
    const done = await api.control.ask({ kind: "pool.create", name, terms }, askerOf(call));
    return isRefusal(done) ? done : shown(api, call, name);
  },

  async editPool(api, call) {
    const name = call.params.pool!;
    const before = api.control.state.pools.get(name);
    if (before === undefined) return notFound("pool");
    const { labels = before.terms.labels, price, ratio = before.terms.ratio } = call.body;
    const tenants = afterEdit(call.body.tenants, before.terms.tenants);
    const mode = afterEdit(call.body.mode, before.terms.mode);
    const trust = afterEdit(call.body.trust, before.terms.trust);
    const terms: PoolTerms = {
      labels,
      perMille: price === undefined ? before.terms.perMille : perMilleOf(price),
      ...(tenants !== undefined && { tenants }),
      ...(mode !== undefined && { mode }),
      ...(ratio !== undefined && { ratio }),
      ...(trust !== undefined && { trust }),
    };
    const done = await api.control.ask({ kind: "pool.edit", name, terms }, askerOf(call));
    return isRefusal(done) ? done : shown(api, call, name);
  },

  async deletePool(api, call) {
    const done = await api.control.ask({ kind: "pool.delete", name: call.params.pool! }, askerOf(call));
    return isRefusal(done) ? done : {};
  },
};

/** A field as it is after an edit: null takes it back, absent leaves it. */
function afterEdit<Value>(said: Value | null | undefined, before: Value | undefined): Value | undefined {
  return said === undefined ? before : (said ?? undefined);
}

export function poolListing(api: Api, { principal }: Pick<Call<"listPools">, "principal">) {
  const { state } = api.control;
  const counts = countsByPool(state);
  const show = (pool: Pool) => render(state, principal, pool, counts);
  return listing("pools", state.pools.values(), ({ name }) => name, show);
}

function shown(api: Api, { principal }: Pick<Call<"getPool">, "principal">, name: string) {
  const { state } = api.control;
  const pool = state.pools.get(name);
  return pool === undefined ? notFound("pool") : render(state, principal, pool, countsByPool(state));
}

/** A node belongs to the first pool, by name, whose labels it has. */
function previewPool({ fleet, nodePools }: ReadonlyState, { name, labels }: BodyOf<"previewPool">): PoolPreview {
  const [taken, left] = [new Map<string, number>(), new Map<string, number>()];
  const count = (of: Map<string, number>, pool: string) => of.set(pool, (of.get(pool) ?? 0) + 1);
  let [nodes, gpus] = [0, 0];
  for (const node of fleet.nodes) {
    if (node === undefined || !hasLabels(node.facts, labels)) continue;
    const { name: now = name } = nodePools.of(node.no) ?? {};
    if (now < name) {
      count(left, now);
      continue;
    }
    if (now !== name) count(taken, now);
    nodes++;
    gpus += node.facts.gpus.length;
  }
  const told = (of: Map<string, number>) => [...of].sort().map(([pool, many]) => ({ pool, nodes: many }));
  return { nodes, gpus, taken: told(taken), left: told(left) };
}

type Counts = ReadonlyMap<Pool, { nodes: number; gpus: number }>;

function countsByPool({ fleet, nodePools }: ReadonlyState): Counts {
  const counts = new Map<Pool, { nodes: number; gpus: number }>();
  for (const node of fleet.nodes) {
    const pool = node && nodePools.of(node.no);
    if (pool === undefined) continue;
    const count = counts.get(pool) ?? { nodes: 0, gpus: 0 };
    counts.set(pool, { nodes: count.nodes + 1, gpus: count.gpus + node!.facts.gpus.length });
  }
  return counts;
}

/** A pool for this viewer: of its tenants only those that the viewer may know of. */
function render(state: ReadonlyState, principal: Principal, pool: Pool, counts: Counts): PoolShape {
  const { labels, tenants, perMille, mode, ratio, trust } = pool.terms;
  const { nodes, gpus } = counts.get(pool) ?? { nodes: 0, gpus: 0 };
  const seen = tenants?.filter((path) => {
    const account = state.accountByPath.get(path);
    return account !== undefined && may(state, principal.user, "account.read", account.no);
  });
  return {
    ...{ name: pool.name, labels: { ...labels }, price: String(perMille / 1_000), nodes, gpus },
    ...(seen !== undefined && { tenants: seen }),
    ...(mode !== undefined && { mode }),
    ...(ratio !== undefined && { ratio }),
    ...(trust !== undefined && { trust }),
    may: new Acts(state, principal).onFleet("pool"),
  };
}

/** The shape of a price has made sure that it is a decimal with at most three digits after the point. */
function perMilleOf(price: string): number {
  return Math.round(Number(price) * 1_000);
}
