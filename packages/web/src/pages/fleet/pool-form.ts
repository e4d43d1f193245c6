import type { PoolCreate, PoolEdit, PoolPreview, PoolShape } from "@tessera/wire";
import { tess } from "../../format/command.ts";
import { readDecimal, writeDecimal } from "../../format/decimal.ts";
import { count } from "../../format/numbers.ts";
import { readPairs, readWords, writePairs } from "../../format/pairs.ts";

/** A pool as it is typed. */
export interface PoolDraft {
  readonly name: string;
  readonly labels: string;
  readonly tenants: string;
  readonly price: string;
  /** `node`: as each node says. */
  readonly mode: NonNullable<PoolShape["mode"]> | "node";
  readonly ratio: string;
  /** `all`: parts of every tenant. */
  readonly trust: NonNullable<PoolShape["trust"]> | "all";
}

export function draftOf(pool: PoolShape | undefined): PoolDraft {
  return {
    name: pool?.name ?? "",
    labels: writePairs(pool?.labels ?? {}),
    tenants: (pool?.tenants ?? []).join(" "),
    price: writeDecimal(pool?.price ?? "1"),
    mode: pool?.mode ?? "node",
    ratio: String(pool?.ratio ?? 1),
    trust: pool?.trust ?? "all",
  };
}

type Wrong = Readonly<Partial<Record<"name" | "labels" | "price", string>>>;

/** What is wrong with what was typed, by field. */
export function wrongIn({ name, labels, price }: PoolDraft): Wrong {
  const pairs = readPairs(labels);
  const factor = readFactor(price);
  return {
    ...(name !== "" &&
      !/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name) && {
        name: `${name} is not a name: use lower-case letters, digits and -, at most 40.`,
      }),
    ...("wrong" in pairs ? { labels: pairs.wrong } : {}),
    ...("wrong" in factor && { price: factor.wrong }),
  };
}

/** A factor as the API takes it: below 1000, with at most three decimal places. */
function readFactor(price: string): { factor: string } | { wrong: string } {
  const read = readDecimal(price);
  if ("wrong" in read) return read;
  const [, whole, fraction = ""] = /^0*(\d{1,3})(?:\.(\d{1,3})0*)?$/.exec(read.plain) ?? [];
  if (whole === undefined)
    return { wrong: `${price.trim()} is not a factor: type a number below 1000 with at most three decimal places.` };
  return { factor: fraction === "" ? whole : `${whole}.${fraction}` };
}

function commonOf({ labels, price, mode, ratio }: PoolDraft) {
  const [read, factor] = [readPairs(labels), readFactor(price)];
  return {
    labels: "pairs" in read ? read.pairs : {},
    price: "factor" in factor ? factor.factor : "",
    ...(mode === "timeslice" && { ratio: Number(ratio) as 1 }),
  };
}

/** A new pool as the API takes it. */
export function createBody(draft: PoolDraft): PoolCreate {
  const { name, mode, trust } = draft;
  const tenants = readWords(draft.tenants);
  return {
    ...{ name, ...commonOf(draft) },
    ...(tenants.length > 0 && { tenants }),
    ...(mode !== "node" && { mode }),
    ...(trust !== "all" && { trust }),
  };
}

/** What is changed of a pool: what somebody else has changed since `before` stays as it is. */
export function editBody(draft: PoolDraft, before: PoolDraft): PoolEdit {
  const { mode, trust } = draft;
  const tenants = readWords(draft.tenants);
  const { labels, price, ...ratio } = commonOf(draft);
  return {
    ...(draft.labels !== before.labels && { labels }),
    ...(draft.price !== before.price && { price }),
    ...(draft.tenants !== before.tenants && { tenants: tenants.length > 0 ? tenants : null }),
    ...((mode !== before.mode || draft.ratio !== before.ratio) && { mode: mode === "node" ? null : mode, ...ratio }),
    ...(trust !== before.trust && { trust: trust === "all" ? null : trust }),
  };
}

/** The same on the command line: all of a new pool, or what is changed of one. */
export function poolCommand(draft: PoolDraft, before: PoolDraft | undefined): string {
  const body: PoolEdit = before === undefined ? createBody(draft) : editBody(draft, before);
  const { labels, tenants, price, mode, ratio, trust } = body;
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  return tess([
    "pool",
    before === undefined ? "create" : "edit",
    draft.name || "NAME",
    ...Object.entries(labels ?? {}).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
    ...(tenants === null ? ["--all-tenants"] : (tenants ?? []).flatMap((tenant) => ["--tenant", tenant])),
    ...flag("--price", price),
    ...flag("--mode", mode === null ? "node" : mode),
    ...flag("--ratio", ratio === undefined ? undefined : String(ratio)),
    ...flag("--trust", trust === null ? "all" : trust),
  ]);
}

/** Which nodes the pool would have, and which jobs could then use them. */
export function poolEffects({ nodes, gpus, taken, left }: PoolPreview, tenants: readonly string[]): string[] {
  const users =
    tenants.length === 0 ? "All tenants use them." : `New jobs of ${tenants.join(", ")} and below use them, no others.`;
  const have = nodes === 1 ? "belongs" : "belong";
  return [
    nodes === 0
      ? "No node belongs to it now."
      : `${count(nodes, "node")} with ${count(gpus, "GPU")} ${have} to it. ${users} Running jobs go on.`,
    ...taken.map(
      (each) => `${count(each.nodes, "node")} of them ${each.nodes === 1 ? "leaves" : "leave"} ${each.pool}.`,
    ),
    ...left.map(
      (each) =>
        `${count(each.nodes, "node")} with these labels ${each.nodes === 1 ? "stays" : "stay"} with ${each.pool}, whose name comes first.`,
    ),
  ];
}
