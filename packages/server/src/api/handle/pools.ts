import { refuse } from "@tessera/core";
import type { PoolShape } from "@tessera/wire";
import { notFound } from "../answer/problem.ts";
import type { Handler } from "../context.ts";
import { listing, pageOf } from "../request/page.ts";

type PoolHandlers = {
  listPools: Handler<"listPools">;
  createPool: Handler<"createPool">;
  getPool: Handler<"getPool">;
  editPool: Handler<"editPool">;
  deletePool: Handler<"deletePool">;
};

export const poolHandlers: PoolHandlers = {
  listPools: (api, call) => pageOf(api.seal, poolListing(), call.query),
  createPool: (_api, call) => refuse("unsupported", "pool", call.body.name, "this server has no pools", ""),
  getPool: () => notFound("pool"),
  editPool: () => notFound("pool"),
  deletePool: () => notFound("pool"),
};

export function poolListing() {
  const none: readonly PoolShape[] = [];
  return listing(
    "pools",
    none,
    ({ name }) => name,
    (pool) => pool,
  );
}
