import { StringDecoder } from "node:string_decoder";
import type { Masker } from "./mask.ts";

/** Longer lines are kept in pieces: a reader must be able to hold any single line. */
export const lineCharsMax = 16_384;

/** Cuts a stream of bytes into lines. Bytes that are no text become replacement characters. */
export class LineCutter {
  readonly #decoder = new StringDecoder("utf8");
  readonly #masker: Masker;
  #rest = "";

  constructor(masker: Masker) {
    this.#masker = masker;
  }

  /** The lines that these bytes complete. */
  push(bytes: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.write(bytes)).split("\n");
    this.#rest = lines.pop()!;
    const whole = lines.flatMap((line) => this.#finish(line));
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
