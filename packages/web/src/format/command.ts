import { quoteWord } from "@tessera/wire/shell-word";

/** A command of `tess` as a shell takes it: words that it would change are quoted. */
export function tess(words: readonly string[]): string {
  return ["tess", ...words.map(quoteWord)].join(" ");
}
