import type { Refusal, RefusalKind } from "@tessera/core";
import { type Problem, statusOfRefusal } from "@tessera/wire";

/** Kinds of problems that the API finds by itself, before or beside the core, with their statuses. */
export const statusOfDenial = {
  malformed: 400, // not JSON, not YAML, not a URL
  unauthenticated: 401,
  forbidden: 403, // may be seen by the caller, but not done
  "no-such-route": 404,
  "method-not-allowed": 405,
  "too-large": 413,
  "unsupported-media-type": 415,
  "rate-limited": 429,
  "headers-too-large": 431,
  "request-timeout": 408,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<string, number>;
export type DenialKind = keyof typeof statusOfDenial;

/** A refusal of the API or of the core: both are answered as problem details. */
export interface Denial extends Omit<Refusal, "refused"> {
  readonly refused: DenialKind | RefusalKind;
}

export function deny(
  kind: Denial["refused"],
  detail: string,
  hint = "",
  field = "",
  value: Denial["value"] = null,
): Denial {
  return { refused: kind, field, value, detail, hint };
}

/** Narrows away every refusal; unlike `isRefusal` it also knows the API's own kinds. */
export function isDenied<Value>(value: Value): value is Extract<Value, Denial> {
  return typeof value === "object" && value !== null && "refused" in value;
}

/** For what does not exist and for what one may not see: nothing of the answer may tell which. */
export function notFound(what: string): Denial {
  return deny("not-found", `There is no such ${what}, or it is not yours to see.`, "", what);
}

export function forbidden(action: string): Denial {
  return deny(
    "forbidden",
    `Your roles here do not include ${action}.`,
    "Ask an administrator of the account for a role that does.",
  );
}

export function statusOf(kind: Denial["refused"]): number {
  return kind in statusOfDenial ? statusOfDenial[kind as DenialKind] : statusOfRefusal[kind as RefusalKind];
}

const titles: Readonly<Record<Denial["refused"], string>> = {
  malformed: "The request cannot be read",
  unauthenticated: "Not signed in",
  forbidden: "Not allowed",
  "no-such-route": "No such address",
  "method-not-allowed": "Not possible at this address",
  "too-large": "Too large",
  "unsupported-media-type": "This kind of content is not taken here",
  "rate-limited": "Too many requests",
  "headers-too-large": "Headers too large",
  "request-timeout": "The request took too long to arrive",
  internal: "Something went wrong in the server",
  unavailable: "Not available now",
  "no-space": "The disk is nearly full",
  invalid: "A value is not valid",
  "unknown-field": "Unknown field",
  unsupported: "Not supported here",
  "not-found": "Not found",
  "already-exists": "Already exists",
  conflict: "Not possible in this state",
  stale: "Changed in the meantime",
  "key-reused": "Idempotency key used for another request",
  "not-allowed": "Forbidden by a rule of the account",
  "never-fits": "Can never run",
  "over-guarantee": "More guaranteed than there is",
  "look-again": "Not available now",
};

const longestValue = 200;

/** RFC 9457 problem details for a refusal. */
export function problemOf(denial: Denial, requestId: string): Problem {
  const { refused, field, value, detail, hint } = denial;
  const code = refused === "look-again" ? "unavailable" : refused;
  return {
    type: `urn:tessera:problem:${code}`,
    title: titles[refused],
    status: statusOf(refused),
    detail,
    code,
    ...(field !== "" && { field }),
    ...(value !== null && { value: shortened(value) }),
    ...(hint !== "" && { hint }),
    requestId,
  };
}

function shortened(value: string | number | boolean): string | number | boolean {
  return typeof value === "string" && value.length > longestValue ? `${value.slice(0, longestValue - 1)}…` : value;
}
