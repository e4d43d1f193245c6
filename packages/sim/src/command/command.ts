import type { styleText } from "node:util";

/** Where a command writes; `paint` leaves the text as it is where colours are not shown. */
export interface Terminal {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  readonly paint: (style: Parameters<typeof styleText>[0] & string, text: string) => string;
}

/** A word after `tess-sim`: its lines of help, and what it does with the words after it. Answers the exit code. */
export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<number>;
}

export const exit = { ok: 0, unmet: 1, usage: 2, badFile: 65 } as const;

/** What was typed makes no sense; the message names it and what to type instead. */
export class WrongUsage extends Error {}

/** A file that was named cannot be read or does not hold what it should; the message begins with the file. */
export class BadInput extends Error {}
