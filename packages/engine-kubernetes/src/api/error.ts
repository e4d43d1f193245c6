/** What the API server answered instead of doing it. */
export class ApiError extends Error {
  readonly status: number;
  /** Its machine-readable reason, such as `AlreadyExists`. */
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, reason: string, message: string, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The cluster cannot be reached at all; `cause` says what happened to the connection. */
export class ClusterAway extends Error {
  /** The call did not reach the server, as far as can be told; all calls of ours can be repeated. */
  readonly unsent: boolean;

  constructor(message: string, cause?: unknown, unsent = false) {
    super(message, { cause });
    this.unsent = unsent;
  }
}

/** A member cannot be made here, in words for its owner: it is reported as refused. */
export class MemberRefused extends Error {}

/** The node or the GPU that a member was placed on is not there any more: it is reported as lost, and may run elsewhere. */
export class SeatGone extends Error {}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** The error of an answer, with what it says in its Status object. */
export function errorOf(status: number, text: string, retryAfter: string | undefined): ApiError {
  let reason = "";
  let message = text.slice(0, 500);
  try {
    const said = JSON.parse(text) as { readonly reason?: string; readonly message?: string };
    reason = said.reason ?? "";
    message = said.message ?? message;
  } catch {
    // Not from the API server itself but from something before it.
  }
  const seconds = Number(retryAfter);
  const retryAfterMs = retryAfter === undefined || Number.isNaN(seconds) ? undefined : seconds * 1000;
  return new ApiError(status, reason, message === "" ? `the API server answered ${status}` : message, retryAfterMs);
}
