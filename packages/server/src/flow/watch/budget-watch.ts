import type { BudgetStanding, Instant, ReadonlyState } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import { budgetStandings, reachedBy } from "../bill/budget.ts";
import { creditStandings, isUsedUp } from "../bill/credit.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { Lookout } from "./lookout.ts";

/** The longest time between two looks; it adds to the grace of the jobs that a budget stops. */
export const budgetWatchMs = 5_000;
const soonestMs = 50;
const system: Asker = { actor: { user: "system" }, request: "budget-watch" };

type Watched = Pick<ControlPlane, "state" | "rated" | "now" | "ask">;

/**
 * Follows what accounts with a budget spend and tells the core when a part of it is passed; the core stops what has to
 * stop. It looks again when the limit will be reached at the current rate, so what is spent beyond it is what stopping
 * jobs use until they have stopped.
 */
export class BudgetWatch extends Lookout {
  readonly #control: Watched;

  constructor(control: Watched, clock: Clock) {
    super(clock, budgetWatchMs);
    this.#control = control;
  }

  async look(): Promise<Instant> {
    const { state } = this.#control;
    const now = this.#control.now();
    const budgets = [...state.books.budgets.values()];
    let next = now + budgetWatchMs;
    for (const standing of await budgetStandings(this.#control, budgets, now)) {
      const { account, spentMicros, spentAt } = standing;
      const budget = state.books.budgets.get(account);
      if (budget === undefined) continue;
      const reached = reachedBy(budget, spentMicros);
      if (isNews(state, account, reached)) {
        const command = { kind: "budget.reach", account, ...reached, spentMicros: String(spentMicros) } as const;
        await this.#control.ask(command, system);
      }
      await this.#foresee(standing);
      if (spentAt !== undefined) next = Math.min(next, Math.max(now + soonestMs, spentAt));
    }
    await this.#lookAtCredit(now);
    return next;
  }

  async #lookAtCredit(now: Instant): Promise<void> {
    const { state } = this.#control;
    const { tenants, creditReached } = state.books;
    const limited = [...tenants].filter(([, { creditLimitMicros }]) => creditLimitMicros !== undefined);
    const names = new Set([...limited.map(([tenant]) => tenant), ...creditReached]);
    for (const standing of await creditStandings(this.#control, [...names], now)) {
      const { tenant, owedMicros, openMicros } = standing;
      const reached = isUsedUp(standing);
      if (reached === creditReached.has(tenant)) continue;
      const about = { tenant, reached, owedMicros: String(owedMicros + openMicros) };
      await this.#control.ask({ kind: "credit.reach", ...about }, system);
    }
  }

  async #foresee({ account, limitMicros, forecastMicros, spentAt }: BudgetStanding): Promise<void> {
    const known = this.#control.state.books.foreseen.has(account);
    const over = known ? forecastMicros * 1000n >= limitMicros * calmPerMille : forecastMicros > limitMicros;
    if (over === known) return;
    const when = spentAt === undefined ? {} : { spentAt };
    const about = { account, over, forecastMicros: String(forecastMicros), ...when };
    await this.#control.ask({ kind: "budget.foresee", ...about }, system);
  }
}

/** What comes and goes with every job would be told over and over: it is over only once the forecast is well below. */
const calmPerMille = 900n;

function isNews({ books }: ReadonlyState, account: string, { stop, perMille }: ReturnType<typeof reachedBy>): boolean {
  const known = books.reached.get(account) ?? { stop: "none", perMille: 0 };
  return known.stop !== stop || known.perMille !== perMille;
}
