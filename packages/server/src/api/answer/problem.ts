import { hintText, type Refusal, type RefusalKind, type Role, refusalText, roles } from "@tessera/core";
import { type Action, type Mistake, type Problem, statusOfRefusal } from "@tessera/wire";
import { grantsOf, mayGive } from "../../access/policy.ts";

/** Kinds of problems that the API finds by itself, before or beside the core, with their statuses. */
export const statusOfDenial = {
  malformed: 400, // not JSON, not YAML, not a URL
  unauthenticated: 401,
  "factor-required": 403, // nothing else before a second factor
  "step-up-required": 403, // a dangerous act, and the second factor was shown too long ago
  forbidden: 403, // may be seen by the caller, but not done
  "no-such-route": 404,
  "method-not-allowed": 405,
  ambiguous: 409, // a name that means several live jobs
  "too-large": 413,
  "unsupported-media-type": 415,
  "wrong-host": 421, // a name that is not this server's
  "upgrade-required": 426, // the address speaks WebSocket only
  "rate-limited": 429,
  "headers-too-large": 431,
  "request-timeout": 408,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<string, number>;
export type DenialKind = keyof typeof statusOfDenial;

/** A refusal of the API or of the core: both are answered as problem details. */
export interface Denial extends Omit<Refusal, "refused" | "also"> {
  readonly refused: DenialKind | RefusalKind;
  readonly also?: readonly Denial[];
  /**
   * The request is not what the API's description allows, and every such mistake was looked for or only the first;
   * otherwise it is well-formed, and means nothing here.
   */
  readonly misshapen?: "all" | "first";
  /** When it may be tried again. */
  readonly retryAfterSeconds?: number;
  /** The field as it could be written in a job file. */
  readonly example?: string;
  /** The live jobs that an ambiguous name may mean. */
  readonly jobs?: Problem["jobs"];
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
export function notFound(what: string, name?: string, hint = "", field = what): Denial {
  if (name === undefined) return deny("not-found", `There is no such ${what}, or you may not see it.`, hint, field);
  const asked = shortened(name) as string;
  return deny("not-found", `There is no ${what} ${JSON.stringify(asked)}, or you may not see it.`, hint, field, asked);
}

/**
 * For what may be seen but not done: which roles allow it, and which can give them. That is the same for everyone, so
 * it tells nothing of what or who is there.
 */
export function forbidden(action: Action): Denial {
  const { roles: needed, ask: givers } = rolesFor(action);
  const where = action === "account.write" ? "the account above it" : "the account";
  return deny(
    "forbidden",
    `Your roles at this account do not allow ${action}.`,
    needed.length === 1
      ? `It needs the role ${needed[0]}; ask one of the platform's owners.`
      : `It needs one of the roles ${needed.join(", ")} at ${where}; ask for one: ${givers.join(" or ")}.`,
  );
}

/** The roles that allow an action, at least on what is one's own, and those that can give them. */
export function rolesFor(action: Action): { readonly roles: readonly Role[]; readonly ask: readonly Role[] } {
  const needed = roles.filter((role) => grantsOf[role][action] !== undefined);
  return { roles: needed, ask: roles.filter((role) => needed.some((each) => mayGive[role].includes(each))) };
}

export function statusOf({ refused: kind, misshapen }: Pick<Denial, "refused" | "misshapen">): number {
  if (misshapen !== undefined) return statusOfDenial.malformed;
  return kind in statusOfDenial ? statusOfDenial[kind as DenialKind] : statusOfRefusal[kind as RefusalKind];
}

const titles: Readonly<Record<Denial["refused"], string>> = {
  malformed: "The request cannot be read",
  unauthenticated: "Not signed in",
  "factor-required": "A second factor is needed",
  "step-up-required": "A second factor is needed",
  forbidden: "Not allowed",
  "no-such-route": "No such address",
  "method-not-allowed": "Method not allowed",
  ambiguous: "The name means several jobs",
  "too-large": "Too large",
  "unsupported-media-type": "Content type not accepted",
  "wrong-host": "Not a name of this server",
  "upgrade-required": "A WebSocket is needed here",
  "rate-limited": "Too many requests",
  "headers-too-large": "Headers too large",
  "request-timeout": "The request took too long to arrive",
  internal: "Error in the server",
  unavailable: "Temporarily unavailable",
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
  "over-guarantee": "Guarantees exceed what is there",
  "look-again": "Temporarily unavailable",
};

const longestValue = 200;
/** A body of nothing but mistakes must not make an answer that is larger than itself. */
const mistakesMax = 50;

/** RFC 9457 problem details for a refusal; its detail is a whole sentence, its hint another. */
export function problemOf(denial: Denial, requestId: string): Problem {
  const { refused, field, detail, also = [] } = denial;
  const hint = hintText(denial);
  const value = shortened(denial.value);
  const code = refused === "look-again" ? "unavailable" : refused;
  return {
    type: `urn:tessera:problem:${code}`,
    title: titles[refused],
    status: statusOf(denial),
    detail: refusalText({ field, value, detail }),
    code,
    ...(field !== "" && { field }),
    ...(value !== null && { value }),
    ...(hint !== "" && { hint }),
    ...((field !== "" || also.length > 0) && {
      problems: [denial, ...also].slice(0, mistakesMax).map(mistakeOf),
    }),
    ...(denial.jobs !== undefined && { jobs: denial.jobs }),
    requestId,
  };
}

function mistakeOf(denial: Denial): Mistake {
  const { field, detail, example } = denial;
  const value = shortened(denial.value);
  const fix = hintText(denial);
  return {
    field,
    ...(value !== null && { value }),
    message: refusalText({ field, value, detail }),
    ...(fix !== "" && { fix }),
    ...(example !== undefined && { example }),
  };
}

function shortened(value: Denial["value"]): Denial["value"] {
  return typeof value === "string" && value.length > longestValue ? `${value.slice(0, longestValue - 1)}…` : value;
}
