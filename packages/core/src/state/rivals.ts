import { Line, type Spot, spotFor } from "../collections/linked-list.ts";
import type { AccountNo } from "../model/ids.ts";
import type { WaitingGroup } from "./waiting.ts";
import type { Shape } from "./wish.ts";

/**
 * Groups of one account that want the same seats, for different times or for different users. As long as the first of
 * them has not been told that it gets none, the others need not be asked.
 */
export class Rivals {
  readonly groups = new Line<WaitingGroup>();
  /** Its spot among those who want the same and wait. */
  readonly spot: Spot<Rivals> = spotFor(this);
  /** Who goes first by age; known until one of them changes. */
  #oldest: WaitingGroup | undefined;
  /** The pass in which they were last asked, if nothing has changed since. */
  #askedIn = -1;
  /** The last first; known for that pass once they are asked a second time. */
  #inOrder: WaitingGroup[] | undefined;

  /** One of them has come, has gone, or has another first job. */
  changed(): void {
    this.#oldest = undefined;
    this.#askedIn = -1;
  }

  /** Who goes first, but for those who have been told; in one pass more and more have been, and the order stays. */
  first(
    goesFirst: (a: WaitingGroup, b: WaitingGroup) => boolean,
    told: ReadonlySet<WaitingGroup>,
    pass: number,
  ): WaitingGroup | undefined {
    if (this.#oldest !== undefined && !told.has(this.#oldest)) return this.#oldest;
    if (this.#askedIn === pass) return this.#nextInOrder(goesFirst, told);
    this.#askedIn = pass;
    this.#inOrder = undefined;
    let first: WaitingGroup | undefined;
    let isOldest = true;
    for (const group of this.groups) {
      if (told.has(group)) isOldest = false;
      else if (first === undefined || goesFirst(group, first)) first = group;
    }
    // Under another order than by age, who goes first may change with time alone.
    if (isOldest && first?.order === "age") this.#oldest = first;
    return first;
  }

  #nextInOrder(
    goesFirst: (a: WaitingGroup, b: WaitingGroup) => boolean,
    told: ReadonlySet<WaitingGroup>,
  ): WaitingGroup | undefined {
    this.#inOrder ??= [...this.groups].sort((a, b) => (goesFirst(a, b) ? 1 : -1));
    while (this.#inOrder.length > 0 && told.has(this.#inOrder.at(-1)!)) this.#inOrder.pop();
    return this.#inOrder.at(-1);
  }
}

/** Those of an account who want such seats, now or later. */
export function rivalsOf({ rivals }: Shape, account: AccountNo): Rivals {
  rivals[account] ??= new Rivals();
  return rivals[account];
}

/** Any group that wants such seats and will do. */
export function someOf(
  { waiting }: Shape,
  willDo: (group: WaitingGroup) => boolean = () => true,
): WaitingGroup | undefined {
  for (const { groups } of waiting) for (const group of groups) if (willDo(group)) return group;
  return undefined;
}
