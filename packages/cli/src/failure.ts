import { exit } from "./exit.ts";

export interface FailureText {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly requestId?: string;
  readonly cause?: unknown;
}

/** Ends the command with a message for the user and an exit code; `main` prints it. */
export class Failure extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;

  constructor(exitCode: number, { code, message, hint, requestId, cause }: FailureText) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint;
    this.requestId = requestId;
  }
}

export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(exit.usage, { code: "usage", message, ...(hint !== undefined && { hint }) });
}

export function specFailure(message: string, hint?: string): Failure {
  return new Failure(exit.badSpec, { code: "invalid", message, ...(hint !== undefined && { hint }) });
}

export function configFailure(message: string, hint?: string): Failure {
  return new Failure(exit.badConfig, { code: "bad-config", message, ...(hint !== undefined && { hint }) });
}

export function notFoundFailure(message: string, hint?: string): Failure {
  return new Failure(exit.notFound, { code: "not-found", message, ...(hint !== undefined && { hint }) });
}

/** No server answered, or it stopped answering. The one failure that waiting commands sit out. */
export class Outage extends Failure {
  constructor(message: string, hint: string, cause?: unknown) {
    super(exit.serverDown, { code: "server-down", message, hint, cause });
  }
}
