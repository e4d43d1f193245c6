import type { Rivals, WaitingGroup } from "../state/indexes/waiting-group.ts";

type GoesFirst = (a: WaitingGroup, b: WaitingGroup) => boolean;

/** The order of some rivals. Saves comparing all of them again each time one was refused. */
export class RivalOrder {
  readonly #rivals: Rivals;
  /** The version of the rivals for which the fields below hold. */
  #version = -1;
  /** The first group by age; not kept under another order, which time alone may change. */
  #oldest: WaitingGroup | undefined;
  /** The pass in which the groups were last compared. */
  #pass = -1;
  /** Last group first; sorted only when a pass needs a second one. */
  #inOrder: WaitingGroup[] | undefined;

  constructor(rivals: Rivals) {
    this.#rivals = rivals;
  }

  /** The first group that has not been tried. During one pass the tried groups only become more, and the order stays. */
  first(goesFirst: GoesFirst, tried: ReadonlySet<WaitingGroup>, pass: number): WaitingGroup | undefined {
    if (this.#version !== this.#rivals.version) this.#forget();
    if (this.#oldest !== undefined && !tried.has(this.#oldest)) return this.#oldest;
    if (this.#pass === pass) return this.#nextInOrder(goesFirst, tried);
    this.#pass = pass;
    this.#inOrder = undefined;
    let first: WaitingGroup | undefined;
    let isOldest = true;
    for (const group of this.#rivals.groups) {
      if (tried.has(group)) isOldest = false;
      else if (first === undefined || goesFirst(group, first)) first = group;
    }
    if (isOldest && first?.order === "age") this.#oldest = first;
    return first;
  }

  #forget(): void {
    this.#version = this.#rivals.version;
    this.#oldest = undefined;
    this.#pass = -1;
  }

  #nextInOrder(goesFirst: GoesFirst, tried: ReadonlySet<WaitingGroup>): WaitingGroup | undefined {
    this.#inOrder ??= [...this.#rivals.groups].sort((a, b) => (goesFirst(a, b) ? 1 : -1));
    while (this.#inOrder.length > 0 && tried.has(this.#inOrder.at(-1)!)) this.#inOrder.pop();
    return this.#inOrder.at(-1);
  }
}
