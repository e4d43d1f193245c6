import type { AnswerOf, PoolCreate, PoolEdit, PoolShape } from "@tessera/wire";
import { readPairs, readWords, writePairs } from "../../format/pairs.ts";

type NodeShape = Pick<AnswerOf<"listNodes">["items"][number], "engine" | "region" | "labels" | "gpus">;

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
    price: pool?.price ?? "1",
    mode: pool?.mode ?? "node",
    ratio: String(pool?.ratio ?? 1),
    trust: pool?.trust ?? "all",
  };
}

type Wrong = Readonly<Partial<Record<"name" | "labels" | "price", string>>>;

/** What is wrong with what was typed, by field. */
export function wrongIn({ name, labels, price }: PoolDraft): Wrong {
  const pairs = readPairs(labels);
  return {
    ...(name !== "" &&
      !/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name) && {
        name: `${name} is not a name: use lower-case letters, digits and -, at most 40.`,
      }),
    ...("wrong" in pairs ? { labels: pairs.wrong } : {}),
    ...(!/^[0-9]{1,3}(\.[0-9]{1,3})?$/.test(price) && {
      price: `${price || "It"} is not a factor: type a number such as 1.5.`,
    }),
  };
}

function commonOf({ labels, price, mode, ratio }: PoolDraft) {
  const read = readPairs(labels);
  return {
    labels: "pairs" in read ? read.pairs : {},
    price,
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

/** Which nodes have all of these labels; engine and region count as labels. */
export function matching(nodes: readonly NodeShape[], labels: Readonly<Record<string, string>>): NodeShape[] {
  return nodes.filter(({ engine, region, labels: own = {} }) => {
    const all: Record<string, string | undefined> = { ...own, engine, region };
    return Object.entries(labels).every(([key, value]) => all[key] === value);
  });
}
