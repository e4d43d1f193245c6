/** One small way to break the scheduler: a text in a built file of core, and what stands there instead. */
export interface Mutant {
  readonly name: string;
  /** Below packages/core/dist. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const mutants: readonly Mutant[] = [
  {
    name: "O1: those that would borrow go first",
    file: "queue/order.js",
    from: "return !a.burst;",
    to: "return a.burst;",
  },
  {
    name: "O2: the largest share goes first",
    file: "queue/order.js",
    from: "return shares < 0;",
    to: "return shares > 0;",
  },
];
