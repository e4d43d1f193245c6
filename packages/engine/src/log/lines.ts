import { StringDecoder } from "node:string_decoder";
import type { Masker } from "./mask.ts";

/** Longer lines are kept in pieces: a reader must be able to hold any single line. */
export const lineCharsMax = 16_384;

/** How often a line is kept that a program draws over and over, as progress bars are. */
export const redrawnEveryMs = 10_000;

/** Cuts a stream of bytes into lines. Bytes that are no text become replacement characters. */
export class LineCutter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #masker: Masker;
  #rest = "";
  /** When the line that is not complete was drawn over first, or was kept last. */
  #redrawnSince: number | undefined;

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  /**
   * The lines that these bytes complete. With the instant at which they came also, now and then, how a line looks that
   * is drawn over and over: it may end in hours only, and what it was drawn over with before is of no use.
   */
  push(bytes: Buffer, at?: number): string[] {
    const lines = (this.#rest + this.#decoder.write(bytes)).split("\n");
    this.#rest = lines.pop()!;
    if (lines.length > 0) this.#redrawnSince = undefined;
    const whole = lines.flatMap((line) => this.#finish(line));
    if (at !== undefined) whole.push(...this.#redrawn(at));
    return this.#rest.length > lineCharsMax + this.#masker.longest ? [...whole, ...this.#shorten()] : whole;
  }

  /** What is left when the stream has ended without a line feed. */
  end(): string[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = "";
    return rest === "" ? [] : this.#finish(rest);
  }

  #finish(line: string): string[] {
    return piecesOf(this.#masker.hide(line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  #redrawn(at: number): string[] {
    // At the very end it may be the first half of a line's end.
    if (this.#rest.lastIndexOf("\r", this.#rest.length - 2) < 0) return [];
    this.#redrawnSince ??= at;
    if (at - this.#redrawnSince < redrawnEveryMs && this.#rest.length <= lineCharsMax) return [];
    this.#redrawnSince = at;
    const hidden = this.#masker.hide(this.#rest);
    const begin = hidden.lastIndexOf("\r", hidden.length - 2) + 1;
    const drawn = hidden.slice(0, begin).split("\r");
    this.#rest = hidden.slice(begin);
    return piecesOf(drawn.findLast((text) => text.trim() !== "") ?? "").filter((text) => text !== "");
  }

  /** An endless line must not grow in memory. What may be the beginning of a secret stays behind. */
  #shorten(): string[] {
    const hidden = this.#masker.hide(this.#rest);
    const cut = Math.max(0, hidden.length - this.#masker.longest);
    this.#rest = hidden.slice(cut);
    return piecesOf(hidden.slice(0, cut));
  }
}

function piecesOf(text: string): string[] {
  if (text.length <= lineCharsMax) return [text];
  return Array.from({ length: Math.ceil(text.length / lineCharsMax) }, (_, piece) =>
    text.slice(piece * lineCharsMax, (piece + 1) * lineCharsMax),
  );
}
