import type { TestContext } from "node:test";
import type { LeaseId } from "@tessera/core";
import type { Engine } from "../port.ts";
import { Session } from "./session.ts";

/**
 * Commands in the words of the engine under test. Joined with `; ` they run one after the other, for instance
 * `print("a"); sleepMs(50); exitWith(3)`.
 */
export interface Commands {
  readonly succeed: string;
  exitWith(code: number): string;
  /** Ends at SIGTERM. */
  readonly runForever: string;
  /** From here on SIGTERM does nothing, and it runs for ever. */
  readonly ignoreTerm: string;
  /** Writes the done file. */
  readonly beDone: string;
  /** A child of the command runs. At SIGTERM it takes its time, prints `text` and ends, whatever becomes of its parent. */
  saveInChild(text: string): string;
  sleepMs(ms: number): string;
  /** One line on standard output. */
  print(text: string): string;
  /** One line with the value of a variable of the environment; absent where members have none. */
  readonly printVariable?: (name: string) => string;
}

/** Commands for entries, of an engine that lets people into its members. */
export interface InsideCommands {
  /** Writes its standard input to its standard output, to the end. */
  readonly copyInput: string;
  /** One line on standard error. */
  printErrors(text: string): string;
  /** Prints the id of the job from the environment. */
  readonly printJob: string;
  /** Prints the rows and columns of its terminal. */
  readonly printSize: string;
  /** Listens on this port and sends back what each connection sends, to its end; prints `listens` when it does. */
  echoOn(port: number): string;
}

/** An engine under test, with an empty record, and the means to try it. */
export interface Harness {
  readonly engine: Engine;
  readonly commands: Commands;
  /** Absent where members have no inside: then `open` is refused. */
  readonly inside?: InsideCommands;
  /** What its members do not really do here; what depends on it is shown elsewhere, and skipped with a message. */
  readonly cannot?: readonly ("print" | "be done" | "be reached at ports")[];
  /** Means of an engine whose members others can reach as well; absent where there are no such others. */
  readonly others?: Others;
  /** Lets this much of the engine's time pass. */
  settle(ms: number): Promise<void>;
  /** The engine as a new control plane finds it after the last one died at this moment. Members go on meanwhile. */
  reopen(): Promise<Engine>;
  /** Ends everything that still runs and removes what was written. */
  close(): Promise<void>;
}

/** What somebody else can do to an engine that belongs to more than one. */
export interface Others {
  /** Deletes what the engine made for this lease, past the engine. */
  deleteMember(lease: LeaseId): Promise<void>;
  /** Adds a node like the first one, and gives its name; takes one away for good. Absent where nodes cannot be made up. */
  readonly nodes?: { add(): Promise<string>; remove(node: string): Promise<void> };
  /** Breaks every connection that the engine has open; new ones are possible. */
  breakConnections(): void;
  /** Lists answer as if this lease were not there, until it is called off; the lease itself is found when asked for. */
  hideFromLists(lease: LeaseId): () => void;
}

export type OpenHarness = () => Promise<Harness>;

/** A test body that gets an engine with a listener, and cleans up whatever happens. */
export function withEngine(open: OpenHarness, body: (session: Session, t: TestContext) => Promise<void>) {
  return async (t: TestContext): Promise<void> => {
    const harness = await open();
    try {
      const session = await Session.begin(harness);
      await body(session, t);
      session.check();
    } finally {
      await harness.close();
    }
  };
}
