import type { ActOn, Thing } from "@tessera/wire";

export type AnyAct = ActOn<Thing>;

/** A thing as it came from the API, with what may be done with it. */
export interface Permitted {
  readonly may?: "all" | readonly AnyAct[] | undefined;
}

/** Whether this may be done with the thing. */
export function mayDo(act: AnyAct, of: Permitted | undefined): boolean {
  return of?.may === "all" || (of?.may?.includes(act) ?? false);
}
