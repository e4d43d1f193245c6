import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { labelOf } from "../model/labels.ts";
import type { FleetNode } from "../model/node.ts";
import { type Lack, lacksOf } from "../model/offers.ts";
import { accountOf } from "../quota/accounts.ts";
import { poolsShut } from "./narrowing.ts";
import type { ReadonlyState } from "./readonly-state.ts";

/** Nodes that a job cannot use, by the first thing that keeps it off each, in the order of the fields here. */
export interface LeftOut {
  /** Nodes that it may use. */
  readonly among: number;
  /** Of another engine, or in another region. */
  readonly engine: number;
  readonly region: number;
  /** Nodes without one of the labels, by the key of the first that they lack. */
  readonly labels: ReadonlyMap<string, number>;
  /** Nodes that cannot run it, by engine. */
  readonly offers: ReadonlyMap<string, { readonly nodes: number; readonly lacks: readonly Lack[] }>;
  /** Nodes in pools that are closed to its account, by pool. */
  readonly pools: ReadonlyMap<string, number>;
  /** Nodes in pools that cost more than the list, for a job with a `max_price`. */
  readonly dear: ReadonlyMap<string, number>;
}

/** Counts what keeps a job off which nodes. Examines every node: for refusals and explanations. */
export function countLeftOut(state: ReadonlyState, account: AccountNo, spec: JobSpec): LeftOut {
  const shut = poolsShut(state, account, spec);
  const closed = state.nodePools.closedTo(accountOf(state, account));
  const count = { among: 0, engine: 0, region: 0 };
  const labels = new Map<string, number>();
  const offers = new Map<string, { nodes: number; lacks: Lack[] }>();
  const pools = new Map<string, number>();
  const dear = new Map<string, number>();
  const sort = ({ no, facts }: FleetNode): void => {
    if (spec.engine !== undefined && facts.engine !== spec.engine) count.engine++;
    else if (spec.region !== undefined && facts.place.region !== spec.region) count.region++;
    else {
      const key = Object.keys(spec.where ?? {}).find((each) => labelOf(facts, each) !== spec.where![each]);
      const lacks = lacksOf(facts.offers, spec);
      const pool = state.nodePools.of(no);
      if (key !== undefined) addOne(labels, key);
      else if (lacks.length > 0) {
        const known = offers.get(facts.engine) ?? { nodes: 0, lacks };
        offers.set(facts.engine, { nodes: known.nodes + 1, lacks: known.lacks.filter((lack) => lacks.includes(lack)) });
      } else if (pool !== undefined && closed.has(pool)) addOne(pools, pool.name);
      else if (pool !== undefined && shut.has(pool)) addOne(dear, pool.name);
      else count.among++;
    }
  };
  for (const node of state.fleet.nodes) if (node !== undefined) sort(node);
  return { ...count, labels, offers, pools, dear };
}

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
