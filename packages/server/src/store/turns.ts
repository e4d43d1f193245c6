/** Lets asynchronous writes to one connection take turns: each begins when the one before has ended, well or badly. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<Result>(act: () => Result | Promise<Result>): Promise<Result> {
    const turn = this.#last.then(act, act);
    this.#last = turn;
    return turn;
  }

  /** Resolves when all turns taken so far have ended. */
  async done(): Promise<void> {
    await this.#last.catch(() => {});
  }
}
