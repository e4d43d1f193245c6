import type { Instant, State } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import { budgetStandings, reachedBy } from "./bill-budget.ts";
import type { Asker, ControlPlane } from "./control.ts";

/** No longer than this between two looks: what it adds to the grace of those who leave. */
export const budgetWatchMs = 5_000;
const soonestMs = 50;
const system: Asker = { actor: { user: "system" }, request: "budget-watch" };

type Watched = Pick<ControlPlane, "state" | "reader" | "now" | "ask">;

/**
 * Follows what accounts with a budget spend and tells the core when a part of it is passed; the core stops what has to
 * stop. It looks again when the limit will be reached at the rate of now, so what is spent beyond it is what those who
 * were asked to leave use until they have left.
 */
export class BudgetWatch {
  readonly #control: Watched;
  readonly #clock: Clock;
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(control: Watched, clock: Clock) {
    this.#control = control;
    this.#clock = clock;
  }

  start(): void {
    this.#later(this.#clock.now() + budgetWatchMs);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #later(at: Instant): void {
    if (this.#stopped) return;
    this.#cancel = this.#clock.at(at, () => {
      const begun = this.#clock.now();
      this.look()
        .then((next) => this.#later(Math.max(next, restUntil(begun, this.#clock.now()))))
        .catch(() => this.#later(this.#clock.now() + budgetWatchMs));
    });
  }

  /** Looks once; answers when it should look again. */
  async look(): Promise<Instant> {
    const { state, reader } = this.#control;
    const now = this.#control.now();
    const budgets = [...state.books.budgets.values()];
    let next = now + budgetWatchMs;
    for (const standing of await budgetStandings(reader, state, budgets, now)) {
      const { account, spentMicros, spentAt } = standing;
      const budget = state.books.budgets.get(account);
      if (budget === undefined) continue;
      const reached = reachedBy(budget, spentMicros);
      if (isNews(state, account, reached)) {
        const command = { kind: "budget.reach", account, ...reached, spentMicros: String(spentMicros) } as const;
        await this.#control.ask(command, system);
      }
      if (spentAt !== undefined) next = Math.min(next, Math.max(now + soonestMs, spentAt));
    }
    return next;
  }
}

/** A look rates the month so far, on the thread that answers requests: it takes at most a twentieth of the time. */
function restUntil(begun: Instant, ended: Instant): Instant {
  return ended + 19 * (ended - begun);
}

function isNews({ books }: State, account: string, { stop, perMille }: ReturnType<typeof reachedBy>): boolean {
  const known = books.reached.get(account) ?? { stop: "none", perMille: 0 };
  return known.stop !== stop || known.perMille !== perMille;
}
