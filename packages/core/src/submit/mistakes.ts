import { isRefusal, mistakesOf, type Refusal, refuseAll } from "../journal/refusal.ts";

/** Collects what is wrong with a request, so that its user is told everything at once. */
export class Mistakes {
  readonly #found: Refusal[] = [];

  /** The value, or `instead` if it was refused: reading goes on to find the other mistakes. */
  take<Value>(parsed: Value | Refusal, instead: Value): Value {
    if (!isRefusal(parsed)) return parsed;
    this.add(parsed);
    return instead;
  }

  add(refusal: Refusal | undefined): void {
    if (refusal === undefined) return;
    for (const mistake of mistakesOf(refusal)) if (!this.#knows(mistake.field)) this.#found.push(mistake);
  }

  /** Whether something is wrong with this field of the request, or inside it. */
  within(field: string): boolean {
    return this.#found.some((mistake) => rootOf(mistake.field) === rootOf(field));
  }

  /** One refusal of them all; undefined if there is none. */
  refusal(): Refusal | undefined {
    return refuseAll(this.#found);
  }

  /** A field is told about once: what follows from its first mistake is no news. */
  #knows(field: string): boolean {
    return field !== "" && this.#found.some((mistake) => mistake.field === field);
  }
}

/** `checkpoint.grace` and `gpus[1]` belong to `checkpoint` and `gpus`. */
function rootOf(field: string): string {
  return field.split(/[.[]/, 1)[0]!;
}
