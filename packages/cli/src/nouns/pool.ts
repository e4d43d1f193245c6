import type { PoolShape } from "@tessera/wire";
import { fieldsText } from "../output/fields.ts";
import type { Paint } from "../terminal.ts";
import { pairsText } from "./engine.ts";
import type { Noun } from "./noun.ts";

export const pool: Noun<PoolShape> = {
  name: "pool",
  plural: "pools",
  watch: "listPools",
  nameOf: ({ name }) => name,
  keyOf: ({ name }) => name,
  examples: ["tess pool get", "tess pool get reserved -o json"],
  columns: [
    { name: "name", text: ({ name }) => name },
    { name: "labels", text: ({ labels }) => pairsText(labels), shrinks: true },
    { name: "tenants", text: tenantsText, shrinks: true },
    { name: "price", text: ({ price }) => `${price}x`, raw: ({ price }) => Number(price), right: true },
    { name: "nodes", text: ({ nodes }) => String(nodes), raw: ({ nodes }) => nodes, right: true },
    { name: "gpus", text: ({ gpus }) => String(gpus), raw: ({ gpus }) => gpus, right: true },
  ],
  queryOf: async () => ({}),
  page: (api, query) => api.call("listPools", { query }),
  load: async (session, name) => (await session.api()).call("getPool", { at: { pool: name } }),
  describe: describePool,
};

function tenantsText({ tenants }: PoolShape): string {
  if (tenants === undefined) return "(all)";
  return tenants.length === 0 ? "(none that you may see)" : tenants.join(", ");
}

function describePool(each: PoolShape, paint: Paint): string {
  return `${paint("bold", each.name)}\n${fieldsText(
    [
      ["Labels", pairsText(each.labels)],
      ["Tenants", tenantsText(each)],
      ["Price", `${each.price} times the price of use beyond guarantees`],
      ["Nodes", String(each.nodes)],
      ["GPUs", String(each.gpus)],
    ],
    paint,
    "  ",
  )}`;
}
