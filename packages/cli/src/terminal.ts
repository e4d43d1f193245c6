import { stripVTControlCharacters, styleText } from "node:util";

/** A stream that text is written to; the part of a process's stdout that the commands use. */
export interface Sink {
  readonly isTTY: boolean;
  /** Width in columns; undefined where nothing is wrapped. */
  readonly columns: number | undefined;
  readonly rows?: number | undefined;
  /** Resolves when more may be written, so that a fast log never piles up in memory. */
  write(text: string | Uint8Array): Promise<void>;
}

/** What a command needs from the process around it; tests give their own. */
export interface Terminal {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdin: NodeJS.ReadableStream & {
    readonly isTTY?: boolean;
    setRawMode?(raw: boolean): unknown;
    unref?(): unknown;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Calls `handler` at each Ctrl-C instead of ending; returns how to stop that. */
  onInterrupt(handler: () => void): () => void;
  /** Calls `handler` when the terminal has another size; returns how to stop that. */
  onResize(handler: () => void): () => void;
}

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** Colour for one stream: none when it is not a terminal, or NO_COLOR, CI or a dumb terminal say so. */
export function painterOf(sink: Sink, env: Terminal["env"]): Paint {
  return colourWanted(sink, env)
    ? (style, text) => (text === "" ? "" : styleText(style, text, { validateStream: false }))
    : (_style, text) => text;
}

function colourWanted(sink: Sink, env: Terminal["env"]): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "" && env.FORCE_COLOR !== "0") return true;
  return redraws(sink, env);
}

/** Empties the terminal and goes to its top, for what is drawn again. */
export const clearScreen = "\u001b[H\u001b[2J\u001b[3J";

/** Whether lines may be drawn over: on a terminal that a person looks at. */
export function redraws(sink: Sink, env: Terminal["env"]): boolean {
  return sink.isTTY && !env.CI && env.TERM !== "dumb";
}

// Everything that moves the cursor or changes colours; a name from elsewhere must not draw on this terminal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from the server made safe to show in one line. */
export function printable(text: string): string {
  return text.replace(controls, (found) => (found === "\n" || found === "\t" ? " " : "\ufffd"));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const colours = /(\u001b\[[0-9;:]*m)/;

/**
 * A line of a job's log made safe to show: it keeps its colours, up to its end, and can do nothing else to this terminal,
 * such as change its title, its clipboard or the lines above. Of a line that drew over itself, as progress bars do, the
 * last state is shown.
 */
export function printableLog(line: string): string {
  const last = line.slice(line.trimEnd().lastIndexOf("\r") + 1).trimEnd();
  const parts = last.split(colours);
  const shown = parts.map((part, i) => (i % 2 === 1 ? part : plainText(part))).join("");
  return parts.length === 1 ? shown : `${shown}\u001b[0m`;
}

function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(controls, (found) => (found === "\t" ? found : "\ufffd"));
}
