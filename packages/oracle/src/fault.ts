/** A violation of the rules, found in a decision or in a state. */
export interface Fault {
  readonly kind: "floor" | "max" | "gang" | "capacity" | "trust" | "useless" | "rule";
  readonly what: string;
}

export function rule(what: string): Fault {
  return { kind: "rule", what };
}
