import type { LogLine } from "@tessera/engine";
import { LineCutter, type Masker } from "@tessera/engine/log";

/** Begins a line that the first process of a member says of itself: which stream follows, or a line of `tessera`. */
export const mark = "\u001etess ";

/** How far a log has been read: the instant of its last line, how many lines had that instant, and their stream. */
export interface LogPlace {
  readonly at: number;
  readonly lines: number;
  readonly stream: LogLine["stream"];
}

export const logBegin: LogPlace = { at: 0, lines: 0, stream: "stdout" };

/**
 * Lines of a container's log as the API server gives them: an instant, a blank, the text. It skips what lies before its
 * place, so that a connection which broke neither costs a line nor gives one twice.
 */
export class LogLines {
  readonly #cutter: LineCutter;
  readonly #rank: number;
  readonly #after: LogPlace;
  #stream: LogLine["stream"];
  #seen: { readonly at: number; readonly lines: number } = logBegin;
  #at = 0;

  constructor(rank: number, masker: Masker, after: LogPlace) {
    this.#cutter = new LineCutter(masker);
    this.#rank = rank;
    this.#after = after;
    this.#stream = after.stream === "setup" ? "setup" : "stdout";
  }

  /** Behind the last line that was given. */
  get place(): LogPlace {
    return isBehind(this.#seen, this.#after) ? { ...this.#seen, stream: this.#stream } : this.#after;
  }

  push(bytes: Buffer): LogLine[] {
    return this.#cutter.push(bytes).flatMap((text) => this.#take(text));
  }

  end(): LogLine[] {
    return this.#cutter.end().flatMap((text) => this.#take(text));
  }

  #take(piece: string): LogLine[] {
    const [, instant, text] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^ ]{1,20}) (.*)$/s.exec(piece) ?? [];
    // A very long line comes in pieces, and the first alone has an instant.
    if (instant !== undefined) this.#at = Date.parse(instant);
    if (this.#at === 0) return [];
    const [word, rest] = (text ?? piece).startsWith(mark) ? cut((text ?? piece).slice(mark.length)) : [];
    if (word === "stream") {
      this.#stream = rest === "setup" ? "setup" : "stdout";
      return [];
    }
    this.#seen = { at: this.#at, lines: this.#seen.at === this.#at ? this.#seen.lines + 1 : 1 };
    if (!isBehind(this.#seen, this.#after)) return [];
    const line = { at: this.#at, rank: this.#rank };
    return [
      word === "say"
        ? { ...line, stream: "tessera", text: rest! }
        : { ...line, stream: this.#stream, text: text ?? piece },
    ];
  }
}

function isBehind(seen: { readonly at: number; readonly lines: number }, after: LogPlace): boolean {
  return seen.at > after.at || (seen.at === after.at && seen.lines > after.lines);
}

function cut(text: string): [string, string] {
  const blank = text.indexOf(" ");
  return blank < 0 ? [text, ""] : [text.slice(0, blank), text.slice(blank + 1)];
}
