import type { AccountNo } from "../model/ids.ts";
import type { WaitingGroup } from "./indexes/waiting-group.ts";

/**
 * What the scheduler is notified of while events are applied, so that its next pass looks only at what may have changed.
 * A replica decides nothing, and nothing listens there.
 */
export interface Listener {
  /** Room, quota or a limit changed: every waiting job may be able to start. */
  roomChanged(): void;
  /** A job has become the first of its group and has not been tried since. */
  firstChanged(group: WaitingGroup): void;
  /** What an account holds, or may hold, changed: so may the class of a job in it, below it or above it [C3]. */
  classesMayChange(account: AccountNo): void;
  /** Nodes, accounts, terms or the policy changed: invalidates the cached order and plans. */
  standingsChanged(): void;
  /** Which tenants may share a GPU changed. */
  neighboursChanged(): void;
}

const nothing = (): void => {};

export const silent: Listener = {
  roomChanged: nothing,
  firstChanged: nothing,
  classesMayChange: nothing,
  standingsChanged: nothing,
  neighboursChanged: nothing,
};
