import { type AccountNo, type NodeNo, noAccount } from "../../model/ids.ts";
import { leavingOn } from "../../place/dedicated.ts";
import { accountOf } from "../../quota/accounts.ts";
import { addGpusOf, addTo, type Held, nothingHeld } from "../../quota/held.ts";
import { remainderOf } from "../../state/apply/dedicated.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Victim } from "./victim.ts";

/** Seats that a draft takes from a confidential tenant on one of its nodes. */
interface NodeTaken {
  seats: number;
  /** Of GPUs only: cores and memory are not charged by the node. */
  readonly held: Held;
}

/**
 * The difference that whole nodes make to what a draft takes [U3]. While one seat of the tenant stays on a node, the
 * seats that leave are still charged to it; with the last seat the rest of the node goes too.
 */
export class RestTaken {
  readonly #state: ReadonlyState;
  readonly #nodes = new Map<NodeNo, NodeTaken>();

  constructor(state: ReadonlyState) {
    this.#state = state;
  }

  /** Counts a victim in or out; `heldOf` gives the amount taken from an account so far, to be corrected. */
  count(victim: Victim, sign: 1 | -1, heldOf: (account: AccountNo) => Held): void {
    const { dedicated, fleet } = this.#state;
    const { tenant } = accountOf(this.#state, victim.job.account);
    for (const lease of victim.leases) {
      const charged = dedicated.get(lease.node);
      if (charged === undefined || accountOf(this.#state, charged).tenant !== tenant) continue;
      let taken = this.#nodes.get(lease.node);
      if (taken === undefined) {
        taken = { seats: 0, held: nothingHeld() };
        this.#nodes.set(lease.node, taken);
      }
      this.#correct(lease.node, charged, taken, -1, heldOf);
      taken.seats += sign;
      addTo(taken.held, fleet, { ...lease, cpusMilli: 0, memoryMiB: 0 }, sign);
      this.#correct(lease.node, charged, taken, 1, heldOf);
    }
  }

  /** Whether a tenant would have no seat left on a node of its own. */
  empties(node: NodeNo): boolean {
    const charged = this.#state.dedicated.get(node);
    const taken = this.#nodes.get(node);
    return charged !== undefined && taken !== undefined && this.#isAll(node, charged, taken);
  }

  /** Whether all of the tenant's seats on a node are taken or stopping. */
  #isAll(node: NodeNo, charged: AccountNo, { seats }: NodeTaken): boolean {
    const { tenant } = accountOf(this.#state, charged);
    let left = this.#state.tenantsOn.get(node)!.get(tenant)! - seats;
    for (const { account } of leavingOn(this.#state, node))
      if (accountOf(this.#state, account).tenant === tenant) left--;
    return left === 0;
  }

  #correct(
    node: NodeNo,
    charged: AccountNo,
    taken: NodeTaken,
    sign: 1 | -1,
    heldOf: (account: AccountNo) => Held,
  ): void {
    const all = this.#isAll(node, charged, taken);
    const change = all ? remainderOf(this.#state, node) : taken.held;
    const by = (all ? sign : -sign) as 1 | -1;
    for (let at = charged; at !== noAccount; at = accountOf(this.#state, at).parent) addGpusOf(heldOf(at), change, by);
  }
}
