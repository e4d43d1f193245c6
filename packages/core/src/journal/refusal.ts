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
  /** Path of the field at fault, as `a.b[0].c`; empty when it is the request as a whole. */
  readonly field: string;
  readonly value: string | number | boolean | null;
  /** In lower case it continues the field and its value (`is not a size`); a sentence of its own begins with a capital. */
  readonly detail: string;
  readonly hint: string;
  /** The other mistakes of the same request, where several were found. */
  readonly also?: readonly Refusal[];
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

/** One refusal for several mistakes: the first, which carries the others; undefined for none. */
export function refuseAll(mistakes: readonly Refusal[]): Refusal | undefined {
  const [first, ...also] = mistakes;
  return first === undefined || also.length === 0 ? first : { ...first, also };
}

/** Each mistake of a refusal by itself. */
export function mistakesOf(refusal: Refusal): readonly Refusal[] {
  const { also = [], ...first } = refusal;
  return [first, ...also];
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === "object" && value !== null && (value as Partial<Refusal>).refused !== undefined;
}

/** What happened, in one sentence that names the field and its value. */
export function refusalText({ field, value, detail }: Pick<Refusal, "field" | "value" | "detail">): string {
  const continues = /^[a-z]/.test(detail);
  if (field === "" || (!continues && detail.includes(field))) return sentence(detail);
  const held = value === null || detail.includes(String(value)) ? "" : ` ${JSON.stringify(value)}`;
  return `${field}${held}${continues ? "" : ":"} ${ended(detail)}`;
}

/** What to do, as a sentence. */
export function hintText({ hint }: Pick<Refusal, "hint">): string {
  return hint === "" ? "" : sentence(hint);
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${ended(text.slice(1))}`;
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
