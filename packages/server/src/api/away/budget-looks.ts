import type { Instant } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import type { ControlPlane } from "../../flow/control.ts";
import { budgetWatchMs } from "../../flow/watch/budget-watch.ts";
import { Lookout } from "../../flow/watch/lookout.ts";
import type { ApiWork } from "./tasks.ts";

type Watched = Pick<ControlPlane, "state" | "now">;

/** Looks at budgets on another thread, and only where there are any. */
class AwayLook extends Lookout {
  readonly #look: () => Promise<Instant>;

  constructor(clock: Clock, look: () => Promise<Instant>) {
    super(clock, budgetWatchMs);
    this.#look = look;
  }

  look(): Promise<Instant> {
    return this.#look();
  }
}

/** The budgets of accounts, the credit of tenants, and the budgets that jobs have of their own. */
export function budgetLooks(control: Watched, answering: ApiWork["answering"], clock: Clock): Lookout[] {
  const look = (task: "lookAtBudgets" | "lookAtJobBudgets", isNeeded: () => boolean) =>
    new AwayLook(clock, async () =>
      isNeeded() ? answering.run(task, null, `system ${task}`) : control.now() + budgetWatchMs,
    );
  const { books, priced } = control.state;
  const hasCredit = () => [...books.tenants.values()].some(({ creditLimitMicros }) => creditLimitMicros !== undefined);
  return [
    look("lookAtBudgets", () => books.budgets.size > 0 || books.creditReached.size > 0 || hasCredit()),
    look("lookAtJobBudgets", () => priced.size > 0),
  ];
}
