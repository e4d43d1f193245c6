import type { Rivals, WaitingGroup } from "../state/indexes/waiting-group.ts";

type GoesFirst = (a: WaitingGroup, b: WaitingGroup) => boolean;

/** Which of some rivals goes first. Saves comparing all of them each time one has been refused. */
export class RivalOrder {
  readonly #rivals: Rivals;
  /** The version of the rivals for which the rest holds. */
  #version = -1;
  /** The first by age; under another order time alone may change it. */
  #oldest: WaitingGroup | undefined;
  /** The pass in which they were last compared. */
  #pass = -1;
  /** Last first; known for that pass once they are compared a second time. */
  #inOrder: WaitingGroup[] | undefined;

  constructor(rivals: Rivals) {
    this.#rivals = rivals;
  }

  /** The first group that has not been tried; in one pass more and more have been, and their order stays. */
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
