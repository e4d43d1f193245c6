import type { Problem } from "@tessera/wire";
import { exit } from "./exit.ts";

/** One mistake of a file or of a request, with the place where it was written. */
export interface Mistake {
  readonly message: string;
  readonly field?: string;
  readonly value?: string | number | boolean | null;
  readonly fix?: string;
  readonly example?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The flag that gave the value, where it is not from a file. */
  readonly flag?: string;
}

export interface FailureText {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly requestId?: string;
  readonly cause?: unknown;
  readonly mistakes?: readonly Mistake[];
  /** Shown below the message as they are. */
  readonly lines?: readonly string[];
  /** What a program gets besides the texts, with -o json. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Ends the command with a message for the user and an exit code; `main` prints it. */
export class Failure extends Error {
  readonly exitCode: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly mistakes: readonly Mistake[];
  readonly lines: readonly string[];
  readonly more: Readonly<Record<string, unknown>>;

  constructor(exitCode: number, text: FailureText) {
    const { code, message, hint, requestId, cause } = text;
    super(message, { cause });
    this.mistakes = text.mistakes ?? [];
    this.lines = text.lines ?? [];
    this.more = text.more ?? {};
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint;
    this.requestId = requestId;
  }
}

export function usageFailure(message: string, hint?: string): Failure {
  return new Failure(exit.usage, { code: "usage", message, ...(hint !== undefined && { hint }) });
}

export function specFailure(message: string, hint?: string, mistakes: readonly Mistake[] = []): Failure {
  return new Failure(exit.badSpec, { code: "invalid", message, mistakes, ...(hint !== undefined && { hint }) });
}

export function configFailure(message: string, hint?: string): Failure {
  return new Failure(exit.badConfig, { code: "bad-config", message, ...(hint !== undefined && { hint }) });
}

export function notFoundFailure(message: string, hint?: string): Failure {
  return new Failure(exit.notFound, { code: "not-found", message, ...(hint !== undefined && { hint }) });
}

/** A name that means several live jobs: the user must say which. */
export class AmbiguousName extends Failure {
  readonly jobs: NonNullable<Problem["jobs"]>;

  constructor(exitCode: number, text: FailureText, jobs: NonNullable<Problem["jobs"]>) {
    super(exitCode, text);
    this.jobs = jobs;
  }
}

/** No server answered, or it stopped answering. The one failure that waiting commands sit out. */
export class Outage extends Failure {
  constructor(message: string, hint: string, cause?: unknown) {
    super(exit.serverDown, { code: "server-down", message, hint, cause });
  }
}

/** A connection that could not be made, or was lost on the way. `sent` says whether the server may have seen the request. */
export class ConnectionLost extends Outage {
  readonly sent: boolean;
  constructor(server: string, sent: boolean, cause: unknown) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const why = code === "ABORT_ERR" ? "it took too long" : code || String(cause);
    super(
      `no Tessera server answers at ${server} (${why})`,
      "start one with npm start, or name another with --server or TESS_SERVER",
      cause,
    );
    this.sent = sent;
  }
}
