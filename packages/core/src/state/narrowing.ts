import { type Among, type MemberNeed, needOf } from "../fleet/fit.ts";
import type { AccountNo } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { hasLabels } from "../model/labels.ts";
import type { FleetNode } from "../model/node.ts";
import { offerBits, offersAll } from "../model/offers.ts";
import type { Pool } from "../model/pool.ts";
import { accountOf } from "../quota/accounts.ts";
import type { ReadonlyState } from "./readonly-state.ts";

/**
 * The nodes that a job of an account may use, whatever they hold [P10, P11]: by the engine, region and labels that it asks
 * for, by what they offer, and by their pool; undefined = all.
 */
export function nodesAmong(state: ReadonlyState, account: AccountNo, spec: JobSpec): Among | undefined {
  const isPlain = spec.engine === undefined && spec.region === undefined && spec.where === undefined;
  const closed = poolsShut(state, account, spec);
  const allOffer = state.offerKinds.allOffer(spec);
  if (isPlain && allOffer && closed.size === 0) return undefined;
  return new Narrowed(state, spec, closed, allOffer);
}

const noPools: ReadonlySet<Pool> = new Set();

/**
 * The pools whose nodes a job may not use: those that are closed to its account, and, with a `max_price`, those that cost
 * more than the price list says, because that limit is compared with the list.
 */
export function poolsShut(
  state: ReadonlyState,
  account: AccountNo,
  { maxPriceMicros }: Pick<JobSpec, "maxPriceMicros">,
): ReadonlySet<Pool> {
  const { nodePools } = state;
  const closed = nodePools.limited.length === 0 ? noPools : nodePools.closedTo(accountOf(state, account));
  if (maxPriceMicros === undefined || nodePools.dear.length === 0) return closed;
  return new Set([...closed, ...nodePools.dear]);
}

/** What one member of a job of an account needs of a node. */
export function needFor(
  state: ReadonlyState,
  { account, spec }: { readonly account: AccountNo; readonly spec: JobSpec },
  choice: number,
  model: number,
  burst?: boolean,
): MemberNeed {
  return needOf(spec, choice, model, nodesAmong(state, account, spec), burst);
}

class Narrowed implements Among {
  readonly #state: ReadonlyState;
  readonly #spec: JobSpec;
  readonly #closed: ReadonlySet<Pool>;
  readonly #allOffer: boolean;
  #key: string | undefined;

  constructor(state: ReadonlyState, spec: JobSpec, closed: ReadonlySet<Pool>, allOffer: boolean) {
    this.#state = state;
    this.#spec = spec;
    this.#closed = closed;
    this.#allOffer = allOffer;
  }

  has({ no, facts }: FleetNode): boolean {
    const { engine, region, where } = this.#spec;
    if (engine !== undefined && facts.engine !== engine) return false;
    if (region !== undefined && facts.place.region !== region) return false;
    if (where !== undefined && !hasLabels(facts, where)) return false;
    if (!this.#allOffer && !offersAll(facts.offers, this.#spec)) return false;
    const pool = this.#closed.size === 0 ? undefined : this.#state.nodePools.of(no);
    return pool === undefined || !this.#closed.has(pool);
  }

  get key(): string {
    this.#key ??= this.#writeKey();
    return this.#key;
  }

  /** A pool with other terms is another pool: what was derived from it is not used again. */
  #writeKey(): string {
    const { engine, region, where, isolation, gpus } = this.#spec;
    const pools = [...this.#closed].map(({ name, changedAt, revision }) => [name, changedAt, revision]);
    const onlyParts = gpus.every((ask) => ask.part !== undefined);
    const offers = this.#allOffer ? null : [offerBits(this.#spec), isolation, onlyParts];
    return JSON.stringify([engine, region, where, offers, pools]);
  }
}
