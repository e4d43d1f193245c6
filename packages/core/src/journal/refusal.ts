/**
 * A refusal is a value that the caller can act on: the field, its value, and what to do instead. A refused command
 * changes nothing. The kinds are part of the API; `wire` gives each its HTTP status.
 */
export type RefusalKind =
  | "invalid" // a field has an impossible value
  | "unknown-field"
  | "unsupported" // a field that no engine here can honour yet
  | "not-found"
  | "already-exists"
  | "conflict" // the present state of the job, node or account does not allow it
  | "stale" // If-Match names an older revision
  | "key-reused" // same Idempotency-Key, other body
  | "not-allowed" // an owner's rule forbids it
  | "never-fits" // not even an empty fleet could hold it, or a max forbids it for ever
  | "over-guarantee" // the guarantees below exceed the guarantee above
  | "no-space" // the disk is nearly full: nothing new, while cancel and metering go on
  | "look-again"; // the state changed between the shell's lookup and the decision; the shell repeats, callers never see it

export interface Refusal {
  readonly refused: RefusalKind;
  /** Dotted path of the field at fault; empty when it is the request as a whole. */
  readonly field: string;
  readonly value: string | number | boolean | null;
  readonly detail: string;
  readonly hint: string;
}

export function refuse(
  refused: RefusalKind,
  field: string,
  value: Refusal["value"],
  detail: string,
  hint: string,
): Refusal {
  return { refused, field, value, detail, hint };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && (value as Partial<Refusal>).refused !== undefined;
}
