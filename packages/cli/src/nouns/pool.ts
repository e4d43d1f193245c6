import type { PoolShape } from "@tessera/wire";
import { fieldsText } from "../output/fields.ts";
import { modeWords } from "../output/sharing.ts";
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
    { name: "sharing", text: sharingText, hidesEmpty: true },
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

function sharingText({ mode, ratio }: PoolShape): string {
  return mode === undefined ? "" : ratio === undefined ? mode : `${mode}, ${ratio} times`;
}

function ratioText({ ratio }: PoolShape): string {
  return ratio === undefined ? "" : `, ${ratio} times as much as there is; memory once`;
}

function describePool(each: PoolShape, paint: Paint): string {
  return `${paint("bold", each.name)}\n${fieldsText(
    [
      ["Labels", pairsText(each.labels)],
      ["Tenants", tenantsText(each)],
      ["Sharing", each.mode === undefined ? undefined : `${modeWords[each.mode]}${ratioText(each)}`],
      ["Parts of", each.trust === undefined ? undefined : `${each.trust} tenants and those trusted more`],
      ["Price", `${each.price} times the price of use beyond guarantees`],
      ["Nodes", String(each.nodes)],
      ["GPUs", String(each.gpus)],
    ],
    paint,
    "  ",
  )}`;
}
