/** One after the other: what makes users and says who they are must not meet itself. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
