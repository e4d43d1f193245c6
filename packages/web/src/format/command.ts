import { quoteWord } from "@tessera/wire/shell-word";

/** A command of `tess` as a shell takes it: words that it would change are quoted. */
export function tess(words: readonly string[]): string {
  return ["tess", ...words.map(quoted)].join(" ");
}

/** `key=value` would be an assignment only as the first word of a line: behind it, each side decides. */
function quoted(word: string): string {
  const sides = word.split("=");
  const isPlain = sides.length > 1 && sides[0] !== "" && sides.every((side) => side === "" || quoteWord(side) === side);
  return isPlain ? word : quoteWord(word);
}
